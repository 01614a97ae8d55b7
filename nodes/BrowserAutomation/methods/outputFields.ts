import { isExpression, type ILoadOptionsFunctions } from 'n8n-workflow';

import { rowsFromOption } from '../fields/output';
import { chosenValue } from '../fields/field';
import { NO_VALUE } from '../service/http/request';
import type { JsonValue } from '../service/json/json';
import { fieldNames, listNames, pathToRows, rowsAt, rowsNamed } from '../service/runs/rows';
import { RUN_FIELDS, SUMMARY_FIELDS } from '../service/runs/runFields';
import { searchForm } from '../service/text';
import { choosable } from './lists';
import { asking, chosenIn } from './subjects';

/** A sample of the output of the chosen bot or run; null where there is none. */
async function readSample(context: ILoadOptionsFunctions): Promise<JsonValue> {
	const { subject, id } = chosenIn(context);
	if (id === undefined || isExpression(id) || NO_VALUE.test(id)) return null;
	return await asking(context, async (client) => (await subject.sample?.(client, id)) ?? null);
}

/** The fields that rows of the chosen bot, or of the chosen run, have, then those of the run itself. */
export async function getOutputFields(this: ILoadOptionsFunctions) {
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

/** The fields that rows of the chosen bot, or of the chosen run, have. */
export async function getRowFields(this: ILoadOptionsFunctions) {
	return toOptions(namesOfRows(this, await readSample(this)));
}

function toOptions(names: readonly string[]): Array<{ name: string; value: string }> {
	return choosable(names.map((name) => ({ name, value: name })));
}

function namesOfRows(context: ILoadOptionsFunctions, output: JsonValue): string[] {
	if (typeof output !== 'object') return [];
	const chosen = chosenValue(context.getCurrentNodeParameter('outputOptions.rowsFrom'));
	const rowsFrom = rowsFromOption.read(chosen, context);
	const named = rowsFrom === undefined ? undefined : rowsNamed(output, rowsFrom);
	const lists = named ?? [rowsAt(output, pathToRows(output) ?? []) ?? []].flat();
	return fieldNames(lists.flatMap(({ rows, beside }) => [...rows, beside]));
}

/** The lists in the output of the chosen bot or run. */
export async function searchRowLists(this: ILoadOptionsFunctions, filter = '') {
	const wanted = searchForm(filter.trim());
	const names = listNames(await readSample(this));
	return { results: toOptions(names.filter((name) => searchForm(name).includes(wanted))) };
}
