import type {
	ILoadOptionsFunctions,
	INodeListSearchResult,
	INodePropertyOptions,
} from 'n8n-workflow';

import { toNodeError } from '../execution/failures';
import { rowsFromOption } from '../fields/output';
import type { ServiceClient } from '../service/http/client';
import { outputSchemaOf } from '../service/schema/inputSchema';
import { isJsonObject, textAt, type JsonValue } from '../service/json/json';
import { botIdOf, readOutputSchema } from '../service/runs/schemas';
import { toPage } from '../service/http/pages';
import { NO_VALUE } from '../service/http/request';
import {
	fieldNames,
	listNames,
	pathToRows,
	rowsAt,
	rowsNamed,
	sampleOf,
} from '../service/runs/rows';
import { outputOf, RUN_FIELDS, SUMMARY_FIELDS } from '../service/runs/runFields';
import { readRun } from '../service/runs/oneRun';
import { V2_TASKS, V3_RUNS, type RunApi } from '../service/runs/runApi';
import { connect } from '../transport/client';
import { TEMPLATES } from './choices';
import { isExpression } from './expressions';

/** Tells what an output looks like, for what was chosen by its ID. Null where nobody tells. */
type Sampler = (client: ServiceClient, id: string) => Promise<JsonValue>;

/** What stands for the resource in a trigger, whose events may be filtered by a bot. */
const EVENT = 'event';

/** The parameter in which something is chosen, and what its output looks like, by resource. */
const SAMPLERS: Record<string, [parameter: string, sampler: Sampler]> = {
	bot: ['botId', sampleOfBot(V3_RUNS, 'bot_id')],
	template: [
		'templateId',
		async (client, id) => sampleOf(outputSchemaOf(await client.send(TEMPLATES.recordRequest(id)))),
	],
	workflow: ['workflowId', sampleOfBot(V2_TASKS, 'workflow_id')],
	run: ['taskId', sampleOfRun(V3_RUNS)],
	task: ['taskId', sampleOfRun(V2_TASKS)],
	[EVENT]: ['filters.bot', sampleOfBot(V3_RUNS, 'bot_id')],
};

/** By the schema of its output, else by a run of it that has finished. */
function sampleOfBot(api: RunApi, ownerKey: string): Sampler {
	return async (client, botId) => {
		const schema = await readOutputSchema(client, botId);
		if (schema !== undefined) return sampleOf(schema);
		const query = { [ownerKey]: botId, status: 'finished', page: 1, limit: 1 };
		const [run] = toPage(await client.send(api.listRequest(query))).items;
		const taskId = textAt(run, api.idName);
		return taskId === undefined ? null : (outputOf(await readRun(client, api, taskId)) ?? null);
	};
}

/** By its output, else by the schema of its bot's. */
function sampleOfRun(api: RunApi): Sampler {
	return async (client, taskId) => {
		const run = await readRun(client, api, taskId);
		const botId = botIdOf(run);
		const output = outputOf(run);
		if (output !== undefined || botId === undefined) return output ?? null;
		return sampleOf(await readOutputSchema(client, botId));
	};
}

/** @throws NodeApiError or NodeOperationError that says why it is not to be had */
async function readSample(context: ILoadOptionsFunctions): Promise<JsonValue> {
	const named = context.getCurrentNodeParameter('resource') ?? EVENT;
	const isOwnRun = context.getCurrentNodeParameter('source') === 'own';
	const resource = isOwnRun ? context.getCurrentNodeParameter('start') : named;
	const [parameter, sampler] = SAMPLERS[String(resource)] ?? [];
	if (parameter === undefined || sampler === undefined) return null;
	const chosen = context.getCurrentNodeParameter(parameter);
	const id = isJsonObject(chosen) ? chosen.value : chosen;
	if (typeof id !== 'string' || id === '' || isExpression(id) || NO_VALUE.test(id)) return null;
	try {
		return await sampler(await connect(context), id);
	} catch (error) {
		throw toNodeError(context.getNode(), error, 0);
	}
}

/**
 * The fields that rows of the chosen bot, or of the chosen run, have, then those of the run itself.
 *
 * @throws NodeApiError or NodeOperationError that says why they cannot be shown
 */
export async function getOutputFields(
	this: ILoadOptionsFunctions,
): Promise<INodePropertyOptions[]> {
	if (this.getCurrentNodeParameter('operation') === 'getAll') return toOptions(SUMMARY_FIELDS);
	const names = namesOfRows(this, await readSample(this));
	const isTrigger = this.getCurrentNodeParameter('events') !== undefined;
	const ofEvent = isTrigger ? ['event', 'previous_status'] : [];
	const ofRun = [...RUN_FIELDS, ...ofEvent].filter((name) => !names.includes(name));
	return [
		...toOptions(names),
		...ofRun.map((name) => ({ name: `${name} (of the run)`, value: name })),
	];
}

/**
 * The fields that rows of the chosen bot, or of the chosen run, have.
 *
 * @throws as `getOutputFields`
 */
export async function getRowFields(this: ILoadOptionsFunctions): Promise<INodePropertyOptions[]> {
	return toOptions(namesOfRows(this, await readSample(this)));
}

function toOptions(names: readonly string[]): Array<{ name: string; value: string }> {
	return names.filter((name) => !isExpression(name)).map((name) => ({ name, value: name }));
}

function namesOfRows(context: ILoadOptionsFunctions, output: JsonValue): string[] {
	if (typeof output !== 'object') return [];
	const options: unknown = context.getCurrentNodeParameter('options');
	const raw = isJsonObject(options) ? options.rowsFrom : undefined;
	const rowsFrom = rowsFromOption.read(raw, context.getTimezone());
	const named = rowsFrom === undefined ? undefined : rowsNamed(output, rowsFrom);
	const rows = named ?? rowsAt(output, pathToRows(output) ?? []) ?? [];
	return fieldNames(rows.map(({ row, beside }) => ({ ...row, ...beside })));
}

/**
 * The lists in the output of the chosen bot or run.
 *
 * @throws NodeApiError or NodeOperationError that says why they cannot be shown
 */
export async function searchRowLists(
	this: ILoadOptionsFunctions,
	filter = '',
): Promise<INodeListSearchResult> {
	const wanted = filter.trim().toLowerCase();
	const names = listNames(await readSample(this));
	return { results: toOptions(names.filter((name) => name.toLowerCase().includes(wanted))) };
}
