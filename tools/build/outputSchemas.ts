import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { IExecuteFunctions } from 'n8n-workflow';

import {
	forwarded,
	runFiles,
	taskResumed,
	taskStopped,
} from '../../nodes/BrowserAutomation/execution/handlers';
import { fileItem } from '../../nodes/BrowserAutomation/execution/runResult';
import { NODE_VERSION } from '../../nodes/BrowserAutomation/execution/webhook';
import type { ItemResult } from '../../nodes/BrowserAutomation/execution/executable';
import type { ReadParam } from '../../nodes/BrowserAutomation/fields/field';
import { outputField, stateOutputField } from '../../nodes/BrowserAutomation/fields/output';
import { catalogue } from '../../nodes/BrowserAutomation/resources/catalogue';
import type { Operation } from '../../nodes/BrowserAutomation/resources/operation';
import { attempt } from '../../nodes/BrowserAutomation/service/attempt';
import { createClient } from '../../nodes/BrowserAutomation/service/http/client';
import { ServiceError } from '../../nodes/BrowserAutomation/service/errors';
import { isJsonObject, type JsonValue } from '../../nodes/BrowserAutomation/service/json/json';
import type { ServiceRequest } from '../../nodes/BrowserAutomation/service/http/request';
import { presentRun } from '../../nodes/BrowserAutomation/service/runs/runOutput';
import { V2_TASKS } from '../../nodes/BrowserAutomation/service/runs/runApi';
import { loadDocument } from '../../dev/sandbox/document';
import { ANYTHING, responseSamples, TEXT, type ResponseSamples } from './responseSamples';

/** What one output item of an operation looks like, in the part of JSON Schema that n8n's editor reads. */
export interface OutputSchema {
	type: string | string[];
	properties?: Record<string, OutputSchema>;
	items?: OutputSchema;
	version?: number;
}

const ANY_TYPE = ['object', 'array', 'string', 'number', 'boolean', 'null'];

/** Its keys differ from run to run. */
const FILES_BY_FORMAT = 'output_files';

/** Where n8n looks for the schemas of the node's version, beside it. */
const SCHEMA_FOLDER = path.join(
	__dirname,
	`../../dist/nodes/BrowserAutomation/__schema__/v${NODE_VERSION.toFixed(1)}.0`,
);

/** Nothing of n8n: files are the only thing an operation needs it for. */
const NO_CONTEXT: IExecuteFunctions = Object({});

/** Any ID, and else what a field holds before a user fills it in: nothing if it stands in a collection. */
const defaults: ReadParam = (field) => {
	const { type, default: first } = field.parameter;
	if (field.under !== undefined) return field.read(undefined, NO_CONTEXT);
	return field.read(type === 'resourceLocator' ? TEXT : first, NO_CONTEXT);
};

/**
 * The output of each operation with its default settings, by `resource/operation`: the operation itself is given an answer
 * that has every field the document states. Missing are those whose fields nobody knows before they have run: rows of a
 * run's output, forwarded answers, and objects that the interface leaves open.
 */
export async function outputSchemas(): Promise<Map<string, OutputSchema>> {
	const samples = responseSamples((await loadDocument()).definition);
	const schemas = new Map<string, OutputSchema>();
	for (const resource of catalogue) {
		for (const operation of resource.operations) {
			const name = `${resource.value}.${operation.value}`;
			const [item] = await itemsOf(operation, name, samples);
			const schema = schemaOf(item?.json ?? {});
			if (schema.properties === undefined) continue;
			schemas.set(`${resource.value}/${operation.value}`, { ...schema, version: 1 });
		}
	}
	return schemas;
}

/** Writes the schemas to where n8n serves them from. */
export async function writeOutputSchemas(): Promise<void> {
	for (const [name, schema] of await outputSchemas()) {
		const file = path.join(SCHEMA_FOLDER, `${name}.json`);
		mkdirSync(path.dirname(file), { recursive: true });
		writeFileSync(file, JSON.stringify(schema));
	}
}

async function itemsOf(
	operation: Operation,
	name: string,
	{ requestOf, answerTo }: ResponseSamples,
): Promise<ItemResult[]> {
	const client = createClient({
		baseUrl: 'https://service.test',
		secret: '',
		request: async ({ method, url }) => ({
			status: 200,
			headers: {},
			bytes: Buffer.from(JSON.stringify(answerTo(method, new URL(url).pathname)) ?? ''),
		}),
		pause: async () => undefined,
	});
	const readRun = async (request: ServiceRequest) => {
		const run = await client.send(request);
		if (!isJsonObject(run)) throw new Error(`${request.path} answers with no run.`);
		return run;
	};

	const output = [outputField, stateOutputField].find((field) => operation.fields.includes(field));
	if ('run' in operation || output !== undefined) {
		const mode = defaults(output ?? outputField);
		if (mode === 'rows') return [];
		const run = await readRun(runRequest(operation, () => requestOf(name)));
		return presentRun(run, { output: mode }).items.map((json) => ({ json }));
	}
	if (operation.answer === forwarded) return [];
	if (operation.answer === runFiles) {
		const run = await readRun(operation.request(defaults));
		const list = [{ name: 'text', size: 1, mime_type: 'text', property: 'text' }];
		return [fileItem(run, { list, binary: {} })];
	}
	const call = { client, values: defaults, itemIndex: 0, context: NO_CONTEXT };
	const own = await attempt(() => operation.request(defaults));
	const about = own.ok ? own.value.about : undefined;
	const request = { ...requestOf(name), ...(about !== undefined && { about }) };
	const answered = await attempt(operation.answer(request, call));
	if (answered.ok) return answered.value;
	// An object of which nothing is stated lacks what the operation reads of it, such as its list.
	if (answered.error instanceof ServiceError) return [];
	throw answered.error;
}

/** The request that answers with the run an operation is about. */
function runRequest(operation: Operation, own: () => ServiceRequest): ServiceRequest {
	if ('run' in operation) return operation.run.api.detailRequest(TEXT);
	const isReadAfterwards = operation.answer === taskResumed || operation.answer === taskStopped;
	return isReadAfterwards ? V2_TASKS.detailRequest(TEXT) : own();
}

function schemaOf(value: JsonValue): OutputSchema {
	if (value === ANYTHING) return { type: ANY_TYPE };
	if (Array.isArray(value)) {
		const [first] = value;
		return { type: 'array', ...(first !== undefined && { items: schemaOf(first) }) };
	}
	if (!isJsonObject(value)) {
		return { type: Number.isInteger(value) ? 'integer' : typeof value };
	}
	if (ANYTHING in value) return { type: 'object' };
	const properties = Object.entries(value).map(([key, part]) => [
		key,
		key === FILES_BY_FORMAT ? { type: 'object' } : schemaOf(part),
	]);
	return {
		type: 'object',
		...(properties.length > 0 && { properties: Object.fromEntries(properties) }),
	};
}
