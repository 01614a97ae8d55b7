import type { IExecuteFunctions } from 'n8n-workflow';

import { html, type Markup } from './markup';
import type { Hints } from '../service/runs/runOutput';
import { nameList } from '../service/schema/wording';
import { sentences } from './failures';
import type { ItemResult } from './executable';
import { hostOf } from './host';

interface GivenHint {
	text: string;
	others: Set<string>;
}

/** The hints of each execution by kind: the text of the first, and the other runs that it concerns. */
const hintsOf = new WeakMap<IExecuteFunctions, Map<string, GivenHint>>();

/**
 * Records hints about items, which `giveHints` shows in the editor. An agent gets them as a further item.
 *
 * @param taskId the run of these items, which the hints name
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

/** Shows the hints of an execution in the editor: one of each kind, with all runs that it concerns. */
export function giveHints(context: IExecuteFunctions): void {
	for (const { text, others } of hintsOf.get(context)?.values() ?? []) {
		const further = others.size === 0 ? '' : `The same goes for: ${nameList([...others])}.`;
		giveHint(context, sentences(text, further));
	}
}

/** Shows a hint at the node's output in the editor, if there is one. */
export function giveHint(context: IExecuteFunctions, text: string | Markup | undefined): void {
	if (text === undefined) return;
	context.addExecutionHints({ message: html`${text}`.text, location: 'outputPane' });
}

/**
 * What several runs cost together, e.g. `50 runs, 430 credits`; undefined for a single run.
 *
 * @param credits of each run; NaN where the service did not tell (docs/service.md: Run detail; Task)
 */
export function costHint(credits: number[]): string | undefined {
	const known = credits.filter((credit) => Number.isFinite(credit));
	if (credits.length < 2 || known.length === 0) return undefined;
	// Sums of binary fractions are not exact.
	const sum = Number(known.reduce((total, credit) => total + credit, 0).toFixed(2));
	const silent = credits.length - known.length;
	return `${credits.length} runs, ${sum} credits${silent === 0 ? '' : `, not counting ${silent} of which the service does not tell`}`;
}

/** The key of the runs in an execution's custom data, and how long n8n lets a value be, in characters. */
const RUNS_KEY = 'task_ids';
const MAX_VALUE_LENGTH = 512;

/**
 * Names runs in the execution's custom data, by which n8n's list of executions can be searched: about 25 of all nodes, the
 * first ones. Does nothing where n8n keeps no data, and in n8n 1, where nodes cannot.
 */
export function nameRunsInCustomData(context: IExecuteFunctions, taskIds: string[]): void {
	if (!('customData' in context) || !hostOf(context).keepsContext) return;
	const { [RUNS_KEY]: named = '' } = context.customData.getAll();
	const all = [...new Set([...named.split(' '), ...taskIds])].join(' ').trim();
	const kept =
		all.length > MAX_VALUE_LENGTH ? all.slice(0, all.lastIndexOf(' ', MAX_VALUE_LENGTH)) : all;
	if (kept !== named) context.customData.set(RUNS_KEY, kept);
}
