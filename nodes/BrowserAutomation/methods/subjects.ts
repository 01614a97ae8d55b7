import type { ILoadOptionsFunctions } from 'n8n-workflow';

import { asNodeError } from '../execution/failures';
import { chosenValue, type Field } from '../fields/field';
import {
	botField,
	browserField,
	runField,
	taskField,
	templateField,
	workflowField,
	workflowTemplateField,
} from '../fields/records';
import { withDeadline, type ServiceClient } from '../service/http/client';
import { toPage } from '../service/http/pages';
import { path, type ServiceRequest } from '../service/http/request';
import { isJsonObject, textAt, type JsonObject, type JsonValue } from '../service/json/json';
import { readRun } from '../service/runs/oneRun';
import { botIdOf, readOutputSchema } from '../service/runs/schemas';
import { sampleOf } from '../service/runs/rows';
import { V2_TASKS, V3_RUNS, type RunApi } from '../service/runs/runApi';
import { outputOf } from '../service/runs/botOutput';
import { schemaIn } from '../service/schema/inputSchema';
import { connect } from '../transport/client';

/** A kind of record that users choose from one of the service's lists, and how it is read. */
export interface Subject {
	/** Where it is chosen. */
	field: Field<string>;
	/** Where its list is; one record is below it by its ID, unless `recordRequest` says otherwise. */
	path: string;
	/** The list's largest page (docs/service.md: Limits), or its default where that is not shown. */
	limit: number;
	/** The query parameter that searches by name, where there is one. */
	searchBy?: string;
	recordRequest?(id: string): ServiceRequest;
	/** Where a record has its ID; some have it as `id` all the same. */
	idKey?: string;
	/** Where a record has the name of what it belongs to: with its time, because many bear the same. Others have a `name`. */
	titleKey?: string;
	/** What is shown behind the name, in parentheses. */
	factKeys?: readonly string[];
	/** The schema of its input, in its record; only for what takes input. */
	inputSchemaOf?(record: JsonValue | undefined): JsonObject | undefined;
	/** Reads an example of its output. Null where there is none. */
	sample?(client: ServiceClient, id: string): Promise<JsonValue>;
}

/** The resources that are about one. */
type Kind = 'bot' | 'template' | 'run' | 'workflow' | 'workflowTemplate' | 'task' | 'browser';

export const SUBJECTS: Record<Kind, Subject> = {
	bot: {
		field: botField,
		path: '/v3/bots',
		limit: 100,
		searchBy: 'keyword',
		idKey: 'bot_id',
		inputSchemaOf: schemaIn,
		sample: sampleOfBot(V3_RUNS, 'bot_id'),
	},
	template: {
		field: templateField,
		path: '/v3/bots/templates',
		limit: 500,
		searchBy: 'keyword',
		idKey: 'template_id',
		inputSchemaOf: schemaIn,
		sample: async (client, id) =>
			sampleOf(schemaIn(await client.send(recordRequest(SUBJECTS.template, id)), 'output_schema')),
	},
	run: {
		field: runField,
		path: V3_RUNS.listRequest().path,
		limit: V3_RUNS.listLimit,
		searchBy: 'bot_name',
		idKey: 'task_id',
		titleKey: 'bot_name',
		factKeys: ['status'],
		sample: sampleOfRun(V3_RUNS),
	},
	workflow: {
		field: workflowField,
		path: '/v2/workflow/list-workflows',
		limit: 500,
		recordRequest: (id) => ({
			method: 'GET',
			path: '/v2/workflow/get-workflow',
			query: { workflow_id: id },
			expects: { id },
		}),
		inputSchemaOf: schemaOfNames,
		sample: sampleOfBot(V2_TASKS, 'workflow_id'),
	},
	workflowTemplate: {
		field: workflowTemplateField,
		path: '/v2/workflow/list-official-workflow-templates',
		limit: 500,
		searchBy: 'keyword',
		recordRequest: (id) => ({
			method: 'GET',
			path: '/v2/workflow/get-official-workflow-template',
			query: { workflow_template_id: id },
			expects: { name: null },
		}),
		idKey: 'templateId',
		inputSchemaOf: schemaOfNames,
	},
	task: {
		field: taskField,
		path: V2_TASKS.listRequest().path,
		limit: V2_TASKS.listLimit,
		searchBy: 'workflow_name',
		recordRequest: V2_TASKS.detailRequest,
		titleKey: 'workflow_name',
		factKeys: ['status'],
		sample: sampleOfRun(V2_TASKS),
	},
	browser: { field: browserField, path: '/v2/browser', limit: 20, factKeys: ['type', 'status'] },
};

/** How long a person is kept waiting for what the editor shows, in milliseconds. */
const SHOWN_WITHIN_MS = 30_000;

/** A client for what the editor shows. @throws as `connect` */
export async function connectForEditor(context: ILoadOptionsFunctions): Promise<ServiceClient> {
	return withDeadline(await connect(context), Date.now() + SHOWN_WITHIN_MS);
}

/**
 * Reads what the editor shows from the service.
 *
 * @throws NodeApiError or NodeOperationError that says why it cannot be shown
 */
export async function asking<T>(
	context: ILoadOptionsFunctions,
	ask: (client: ServiceClient) => Promise<T>,
): Promise<T> {
	return await asNodeError(context, async () => await ask(await connectForEditor(context)));
}

/** The request for the one record with an ID, which searching by name does not find. */
export function recordRequest(subject: Subject, id: string): ServiceRequest {
	if (subject.recordRequest !== undefined) return subject.recordRequest(id);
	const place = `${subject.path}${path`/${id}`}`;
	return { method: 'GET', path: place, expects: { [subject.idKey ?? 'id']: id } };
}

/** V2 has the names of the inputs, and which a start needs, but not their types: all are sent as text. */
function schemaOfNames(record: JsonValue | undefined): JsonObject | undefined {
	const inputs = isJsonObject(record) ? record.input_parameters : undefined;
	if (!Array.isArray(inputs)) return undefined;
	const namesOf = (some: JsonValue[]) => some.flatMap((input) => textAt(input, 'name') ?? []);
	const properties = Object.fromEntries(namesOf(inputs).map((name) => [name, { type: 'string' }]));
	const isNeeded = (input: JsonValue) => isJsonObject(input) && input.default_enabled === false;
	return { type: 'object', properties, required: namesOf(inputs.filter(isNeeded)) };
}

/** By the schema of its output, else by a run of it that has finished. */
function sampleOfBot(api: RunApi, ownerKey: string): Required<Subject>['sample'] {
	return async (client, botId) => {
		const sample = sampleOf(await readOutputSchema(client, botId));
		if (sample !== null) return sample;
		const query = { [ownerKey]: botId, status: 'finished', page: 1, limit: 1 };
		const [run] = toPage(await client.send(api.listRequest(query))).items;
		const taskId = textAt(run, api.idName);
		return taskId === undefined ? null : (outputOf(await readRun(client, api, taskId)) ?? null);
	};
}

/** By its output, else by the schema of its bot's. */
function sampleOfRun(api: RunApi): Required<Subject>['sample'] {
	return async (client, taskId) => {
		const run = await readRun(client, api, taskId);
		const botId = botIdOf(run);
		const output = outputOf(run);
		if (output !== undefined || botId === undefined) return output ?? null;
		return sampleOf(await readOutputSchema(client, botId));
	};
}

/**
 * What is chosen in a node: by the node's resource, for a trigger's own run by what it starts, the bot whose last
 * run is read, else the bot that events are filtered by.
 *
 * @returns also what sentences call it, e.g. "bot"; no ID where none is chosen
 */
export function chosenIn(context: ILoadOptionsFunctions) {
	const isOwnRun = context.getCurrentNodeParameter('source') === 'own';
	const isLastRun = context.getCurrentNodeParameter('whichRun') === 'last';
	const chosen = context.getCurrentNodeParameter(isOwnRun ? 'start' : 'resource');
	const kind = isLastRun ? 'bot' : String(chosen);
	const found = new Map<string, Subject>(Object.entries(SUBJECTS)).get(kind);
	const id = chosenValue(context.getCurrentNodeParameter(found?.field.name ?? 'filters.bot'));
	const subject = found ?? SUBJECTS.bot;
	const noun = subject.field.parameter.displayName.toLowerCase();
	return { subject, noun, id: typeof id === 'string' && id !== '' ? id : undefined };
}
