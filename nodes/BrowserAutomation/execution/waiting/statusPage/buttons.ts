import type { INode } from 'n8n-workflow';

import { attempt } from '../../../service/attempt';
import type { ServiceClient } from '../../../service/client';
import { textAt } from '../../../service/json';
import { cancelRun, runApi } from '../../../service/runs';
import { forEachConcurrently } from '../../concurrency';
import { failureText } from '../../failures';
import { noteRefusal } from '../activity';
import type { Ledger } from '../ledger';
import { unstarted, type StartedEntry } from '../progress';
import { openEntries } from './openEntries';

/** Gives a client for the service; rejects when it cannot. */
type Connect = () => Promise<ServiceClient>;

/**
 * Cancels what a button of the status page says: one run, or all of them and the starts still to be
 * sent. Never throws.
 *
 * @param form what the page's form sent, e.g. `{ cancel: '7' }` or `{ action: 'cancelAll' }`
 * @returns the outcome, for the page; undefined when the button cancels nothing
 */
export async function pressButton(
	node: INode,
	ledger: Ledger,
	form: unknown,
	connect: Connect,
): Promise<string | undefined> {
	const taskId = textAt(form, 'cancel');
	const open = openEntries(ledger);
	if (textAt(form, 'action') === 'cancelAll') {
		startNothingMore(ledger);
		return await cancel(node, ledger, open, connect);
	}
	if (taskId === undefined) return undefined;
	const chosen = open.filter((entry) => entry.taskId === taskId);
	if (chosen.length === 0) return `Run ${taskId} is not one of the open runs.`;
	return await cancel(node, ledger, chosen, connect);
}

/** Takes back the starts still to be sent. It is kept when the execution is woken for what follows. */
function startNothingMore(ledger: Ledger): void {
	for (const entry of unstarted(ledger)) {
		delete entry.request;
		entry.refusal = {
			message: 'No run was started: all were cancelled on the status page',
			advice: 'Run the workflow again if that was a mistake.',
			facts: {},
		};
	}
}

async function cancel(
	node: INode,
	ledger: Ledger,
	entries: StartedEntry[],
	connect: Connect,
): Promise<string> {
	let refused: unknown;
	let count = 0;
	const canceled = await attempt(async () => {
		const client = await connect();
		await forEachConcurrently(entries.length, ledger.settings.concurrency, async (index) => {
			const entry = entries[index];
			if (entry === undefined) return;
			const sent = await attempt(
				async () => await cancelRun(client, runApi(ledger.face), entry.taskId),
			);
			if (sent.ok) count += 1;
			else refused = sent.error;
		});
	});
	if (!canceled.ok) refused = canceled.error;
	const done = `${count} of ${entries.length} ${entries.length === 1 ? 'run' : 'runs'} canceled.`;
	if (refused === undefined) return done;
	noteRefusal(node, ledger, refused);
	return `${done} ${failureText(node, refused)}`;
}
