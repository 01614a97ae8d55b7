import type { IExecuteFunctions } from 'n8n-workflow';

import { accountOf, type ApiCredential } from '../../../transport/credentials';
import type { Ledger } from '../batch/ledger';
import { endSuspensions, knownSuspension, type EndedSuspensions } from './suspensions';
import { Watcher } from './watcher';

/** The watchers by account (base URL and key), as long as they watch something. */
const watchers = new Map<string, Watcher>();

/** The watcher of an account. It sends through the most recent execution's context. */
export function getOrMakeWatcher(context: IExecuteFunctions, credential: ApiCredential): Watcher {
	const account = accountOf(credential);
	const end = (): unknown => watchers.delete(account);
	const watcher = watchers.get(account) ?? new Watcher(account, end, context, credential);
	watcher.use(context, credential);
	watchers.set(account, watcher);
	return watcher;
}

/** The watcher of an account, where this process has suspended executions of it. */
export function existingWatcher(credential: ApiCredential): Watcher | undefined {
	return watchers.get(accountOf(credential));
}

/** Takes an execution out of all queues: it has no more runs to start. */
export function dequeue(executionId: string): void {
	for (const watcher of watchers.values()) {
		watcher.queue.dequeue(executionId);
		watcher.rescheduleOrEnd();
	}
}

/** The watcher of a ledger's suspension, where this process has suspended the execution. */
export function watcherOf({ suspension: known }: Pick<Ledger, 'suspension'>): Watcher | undefined {
	return watchers.get(knownSuspension(known?.id ?? '')?.account ?? '');
}

/** Ends all suspensions of an execution that is awake, and has nobody watch it any more. */
export function stopWatching(executionId: string): EndedSuspensions {
	const resumed = endSuspensions(executionId);
	for (const watcher of watchers.values()) watcher.rescheduleOrEnd();
	return resumed;
}
