import type {
	ExecutableOperation,
	Handler,
	RequestOperation,
	RunOperation,
} from '../execution/executable';
import { baseUrlField } from '../fields/requests';
import type { Field } from '../fields/field';
import { bodyField } from '../fields/bodies';
import { item } from '../execution/handlers';
import { TASK_INPUT } from '../fields/input';
import { pickDefined, type Named, type PathTemplate, type RunStart } from '../fields/starts';
import { ATTACHING_FIELDS, readCallbacks, STARTING_FIELDS } from '../fields/waiting';
import { callbackFields } from '../service/events/callback';
import type { HttpMethod, ServiceRequest } from '../service/http/request';
import type { JsonObject, JsonValue } from '../service/json/json';
import { V2_TASKS, V3_RUNS } from '../service/runs/runApi';

/** What operations are written with, beside what follows. */
export * from '../execution/handlers';
export * from '../fields/bodies';
export * from '../fields/records';
export * from '../fields/starts';
export { V3_ALONE } from '../fields/waiting';

/** One operation of the service: its names, what a user fills in for it alone, and how it is carried out. */
export type Operation = ExecutableOperation & {
	/** Title Case, as in the list of operations. */
	name: string;
	/** Sentence case, as in the list of nodes, without articles, e.g. "Get run". */
	action: string;
	description: string;
};

/** A kind of thing the service has, and what can be done with it. */
export interface Resource {
	value: string;
	name: string;
	/** One sentence, shown below the name in the list of resources. */
	description: string;
	/** Of an API that has a successor: chosen in the node alone, not offered as actions or to assistants that write workflows. */
	isOlder: boolean;
	/** With all that a user can fill in, and under a value that workflows store: it never changes. */
	operations: Array<Operation & { value: string }>;
}

/** An operation by its names, `name` and `action`. */
export function operation(
	name: string,
	action: string,
	rest: ExecutableOperation & { description: string },
): Operation {
	return { name, action, ...rest };
}

interface ResourceParts {
	description: string;
	isOlder?: boolean;
	operations: Record<string, Operation>;
	/** What a user does not fill in here, though such operations have it elsewhere. */
	without?: ReadonlyArray<Field<unknown>>;
}

/** A resource, its operations by the values that workflows store. */
export function resource(
	value: string,
	name: string,
	{ description, isOlder = false, operations, without = [] }: ResourceParts,
): Resource {
	return {
		value,
		name,
		description,
		isOlder,
		operations: Object.entries(operations).map(([value, operation]) => ({
			...operation,
			value,
			fields: [...operation.fields, ...furtherFields(operation)].filter(
				(field) => !without.includes(field),
			),
		})),
	};
}

/** What a user fills in because of how an operation is carried out. */
function furtherFields(operation: Operation): ReadonlyArray<Field<unknown>> {
	if ('run' in operation) return 'attach' in operation.run ? ATTACHING_FIELDS : STARTING_FIELDS;
	const { access, answer } = operation;
	return [...(answer.fields ?? []), ...(access === 'none' ? [baseUrlField] : [])];
}

/** What a request may hold beside its path, each from a field. */
interface Parts {
	query?: Named<NonNullable<ServiceRequest['query']>[string]>;
	/** Its field, or what a body says that has to be there, e.g. "The browser to create". */
	body?: Field<JsonObject> | string;
	/** What a body says that may be left out. */
	optionalBody?: string;
	/** A body of these fields. */
	members?: Named<JsonValue>;
	expects?: Named<string>;
	/** One item unless said otherwise. */
	answer?: Handler;
}

/** A request that is made of fields alone, and these fields. */
export function request(
	method: HttpMethod,
	place: PathTemplate | string,
	{ query = {}, body, optionalBody, members, expects, answer = item }: Parts = {},
): RequestOperation {
	const { fields, of } = typeof place === 'string' ? { fields: [], of: () => place } : place;
	const optional = optionalBody === undefined ? undefined : bodyField(optionalBody, false);
	const bodyGiven = typeof body === 'string' ? bodyField(body, true) : (body ?? optional);
	return {
		fields: [
			...[...fields, ...(bodyGiven ? [bodyGiven] : [])],
			...Object.values({ ...query, ...members }),
		],
		request: (values) => ({
			method,
			path: of(values),
			query: pickDefined(values, query),
			...(bodyGiven && { body: values(bodyGiven) }),
			...(members && { body: pickDefined(values, members) }),
			...(expects && { expects: pickDefined(values, expects) }),
		}),
		answer,
	};
}

/** Starts a run of a bot or template, which shows the schema of its input, too. */
export function startsRun({ owner, further, given, request }: RunStart): RunOperation {
	return {
		fields: [...owner.fields, ...further],
		run: {
			api: V3_RUNS,
			inputOwner: owner.of,
			given: (values) => [given(values), readCallbacks(values)],
			start: (values, schema) => {
				const { body, ...start } = request(values, schema);
				return { ...start, body: { ...body, ...callbackFields(readCallbacks(values)) } };
			},
		},
	};
}

/** Starts a task of the workflow or workflow template that a field names. */
export function startsTask(
	address: string,
	owner: Named<string>,
	options: Named<string | boolean>,
): RunOperation {
	return {
		fields: [...Object.values(owner), ...TASK_INPUT.fields, ...Object.values(options)],
		run: {
			api: V2_TASKS,
			start: (values) => ({
				method: 'POST',
				path: address,
				body: {
					...pickDefined(values, owner),
					input_parameters: TASK_INPUT.read(values),
					...pickDefined(values, options),
					...callbackFields(readCallbacks(values)),
				},
			}),
		},
	};
}
