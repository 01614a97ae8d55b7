import type { IExecuteFunctions } from 'n8n-workflow';

import { html } from './markup';
import type { Notes } from '../service/runs/runOutput';
import { sentences } from './failures';
import type { ItemResult } from './executable';
import { hostOf } from './host';

/** What each execution was told already. */
const told = new WeakMap<IExecuteFunctions, Set<string>>();

/**
 * Items, and what is to be known about them: told by hints of the editor, each once in an execution, or
 * to an agent by a further item.
 */
export function withNotes(context: IExecuteFunctions, items: ItemResult[], notes: Notes) {
	const texts: Array<[kind: string, text: string | undefined]> = Object.entries(notes);
	if (texts.every(([, text]) => text === undefined)) return items;
	if (hostOf(context).tool !== undefined) {
		const note = sentences(notes.nothing, notes.unknownFields, notes.shortfall);
		return note === '' ? items : [...items, { json: { note } }];
	}
	const kinds = told.get(context) ?? new Set();
	told.set(context, kinds);
	for (const [kind, text] of texts) {
		if (text === undefined || kinds.has(kind)) continue;
		kinds.add(kind);
		giveHint(context, text);
	}
	return items;
}

/** Tells whoever sees the node's output in the editor; nothing where there is nothing to tell. */
export function giveHint(context: IExecuteFunctions, text: string | undefined): void {
	if (text === undefined) return;
	context.addExecutionHints({ message: html`${text}`.text, location: 'outputPane' });
}
