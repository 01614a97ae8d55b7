import Ajv2020 from 'ajv/dist/2020';
import addFormats from 'ajv-formats';
import type { ErrorObject, ValidateFunction } from 'ajv';
import { isObject, objectOrEmpty } from '../json';
import type { JsonObject } from '../json';
import { refusals } from '../refusal';
import type { Automation } from './automation';

const strict = makeValidators(false);
const fromText = makeValidators(true);

/**
 * The input a run is given, defaults filled in.
 * Errors: 10142 or 10143 when required input is missing, 99001 for any other fault.
 */
export function acceptInput(automation: Automation, input: JsonObject): JsonObject {
	return checkInput(automation, structuredClone(input), strict);
}

/** Finds out whether inputs can be checked against the schema of an automation. Throws when they cannot. */
export function requireSchema(automation: Automation): void {
	strict(automation);
}

/** The input of a V2 run: every value comes as text and becomes what the schema asks for. */
export function acceptTextInput(
	automation: Automation,
	values: ReadonlyArray<readonly [name: string, value: string]>,
): JsonObject {
	const properties = objectOrEmpty(automation.inputSchema['properties']);
	const input: JsonObject = {};
	for (const [name, value] of values) {
		const type = objectOrEmpty(properties[name])['type'];
		input[name] = type === 'object' || type === 'array' ? parseOrKeep(value) : value;
	}
	return checkInput(automation, input, fromText);
}

function makeValidators(coerceTypes: boolean): (automation: Automation) => ValidateFunction {
	const ajv = new Ajv2020({ useDefaults: true, coerceTypes, strict: false });
	addFormats(ajv);
	const compiled = new WeakMap<JsonObject, ValidateFunction>();
	return ({ inputSchema }) => {
		const known = compiled.get(inputSchema);
		if (known) return known;
		const validate = ajv.compile(inputSchema);
		compiled.set(inputSchema, validate);
		return validate;
	};
}

function checkInput(
	automation: Automation,
	input: JsonObject,
	validatorOf: (automation: Automation) => ValidateFunction,
): JsonObject {
	if (!automation.checksInput) return input;
	const validate = validatorOf(automation);
	if (validate(input)) return input;
	const fault: ErrorObject | undefined = validate.errors?.[0];
	if (fault?.keyword === 'required' && fault.instancePath === '') {
		const name = String(fault.params['missingProperty']);
		throw automation.type === 'agent'
			? refusals.agentInputMissing(name)
			: refusals.inputMissing(name);
	}
	const place = `input${(fault?.instancePath ?? '').replaceAll('/', '.')}`;
	throw refusals.parameter(`${place} ${fault?.message ?? 'is not valid'}`);
}

function parseOrKeep(text: string): unknown {
	try {
		const value: unknown = JSON.parse(text);
		return isObject(value) || Array.isArray(value) ? value : text;
	} catch {
		return text;
	}
}
