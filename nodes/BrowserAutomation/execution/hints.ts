import type { IExecuteFunctions } from 'n8n-workflow';

import { html } from './markup';
import type { Hints } from '../service/runs/runOutput';
import { nameList } from '../service/schema/wording';
import { sentences } from './failures';
import type { ItemResult } from './executable';
import { hostOf } from './host';

interface GivenHint {
	text: string;
	others: Set<string>;
}

/** What each execution is to be told by the kinds of notes: in the words of the first, and for which runs else. */
const hintsOf = new WeakMap<IExecuteFunctions, Map<string, GivenHint>>();

/**
 * Items, and what is to be known about them: for hints of the editor, which `tellNotes` gives, or told to
 * an agent by a further item.
 *
 * @param taskId the run that they are about, which is named in the notes
 */
export function withHints(
	context: IExecuteFunctions,
	items: ItemResult[],
	hints: Hints,
	taskId = '',
): ItemResult[] {
	const texts: Array<[kind: string, text: string | undefined]> = Object.entries(hints);
	if (texts.every(([, text]) => text === undefined)) return items;
	if (hostOf(context).tool !== undefined) {
		const { noOutput, noRows, unknownFields, shortfall } = hints;
		const hint = sentences(noOutput, noRows, unknownFields, shortfall);
		return hint === '' ? items : [...items, { json: { hint } }];
	}
	const known = hintsOf.get(context) ?? new Map<string, GivenHint>();
	hintsOf.set(context, known);
	for (const [kind, text] of texts) {
		const first = known.get(kind);
		if (text === undefined || first?.text === text) continue;
		if (first === undefined) known.set(kind, { text, others: new Set() });
		else if (taskId !== '' && text.includes(taskId)) first.others.add(taskId);
	}
	return items;
}

/** Gives the hints of an execution: one of each kind, with all runs that it is about. */
export function giveHints(context: IExecuteFunctions): void {
	for (const { text, others } of hintsOf.get(context)?.values() ?? []) {
		const further = others.size === 0 ? '' : `The same goes for: ${nameList([...others])}.`;
		giveHint(context, sentences(text, further));
	}
}

/** Tells whoever sees the node's output in the editor; nothing where there is nothing to tell. */
export function giveHint(context: IExecuteFunctions, text: string | undefined): void {
	if (text === undefined) return;
	context.addExecutionHints({ message: html`${text}`.text, location: 'outputPane' });
}

/** The sum, without what the machine adds to decimals. */
function sumOf(amounts: number[]): number {
	return Number(amounts.reduce((total, amount) => total + amount, 0).toFixed(2));
}

/**
 * What several runs cost together, e.g. `50 runs, 430 credits`; undefined for a single run. The credits of
 * a run are NaN where the service did not tell (docs/service.md: Run detail; Task).
 */
export function costHint(credits: number[]): string | undefined {
	const known = credits.filter((credit) => Number.isFinite(credit));
	if (credits.length < 2 || known.length === 0) return undefined;
	const silent = credits.length - known.length;
	return `${credits.length} runs, ${sumOf(known)} credits${silent === 0 ? '' : `, not counting ${silent} of which the service does not tell`}`;
}

/** Under which key the custom data of an execution has its runs, and how long n8n lets a value be, in characters. */
const RUNS_KEY = 'task_ids';
const MAX_VALUE_LENGTH = 512;

/**
 * Names runs in the execution's custom data, by which n8n's list of executions finds it: of all its nodes the
 * first, as many as n8n keeps, about 25. Nothing where n8n keeps no notes, and in n8n 1, where no node can.
 */
export function nameRuns(context: IExecuteFunctions, taskIds: string[]): void {
	if (!hostOf(context).keepsContext || !hasCustomData(context)) return;
	const { [RUNS_KEY]: named = '' } = context.customData.getAll();
	const all = [...new Set([...named.split(' '), ...taskIds])].join(' ').trim();
	const kept =
		all.length > MAX_VALUE_LENGTH ? all.slice(0, all.lastIndexOf(' ', MAX_VALUE_LENGTH)) : all;
	if (kept !== named) context.customData.set(RUNS_KEY, kept);
}

function hasCustomData(context: object): boolean {
	return 'customData' in context;
}
