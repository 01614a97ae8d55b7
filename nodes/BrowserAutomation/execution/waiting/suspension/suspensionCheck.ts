import type { IExecuteFunctions } from 'n8n-workflow';

import { attempt } from '../../../service/attempt';
import { keptLedger } from '../batch/ledger';
import { storedContexts } from '../platform';
import type { Suspension } from './suspensions';

/** How often n8n is asked whether an execution is still suspended, and how far apart, as it loads all of each. */
const CHECK_AGAIN_MS = 60_000;
const BETWEEN_CHECKS_MS = 1_000;

/** For so long n8n's answer keeps others from being asked about: its database may never answer. */
const CHECK_WITHIN_MS = 30_000;

/** Asks n8n, one after the other, whether executions are still suspended. */
export class SuspensionCheck {
	/** When n8n last answered; in the future while it is asked. */
	private answeredAt = 0;

	/**
	 * @param contextOf gives what n8n can be asked with at that moment
	 * @param onAnswer called with each execution that n8n was asked about, and whether it was deleted or stopped, or has gone on
	 */
	constructor(
		private readonly contextOf: () => IExecuteFunctions,
		private readonly onAnswer: (suspension: Suspension, isGone: boolean) => void,
	) {}

	/** Asks about the execution that was checked longest ago, if that is due. @returns when the next one is */
	checkNext(suspensions: Suspension[]): number {
		const next = suspensions.reduce((a, b) => (b.checkedAt < a.checkedAt ? b : a));
		const at = Math.max(next.checkedAt + CHECK_AGAIN_MS, this.answeredAt + BETWEEN_CHECKS_MS);
		if (at > Date.now()) return at;
		void this.ask(next);
		return Infinity;
	}

	/** Never throws. */
	private async ask(suspension: Suspension): Promise<void> {
		suspension.checkedAt = Date.now();
		this.answeredAt = Date.now() + CHECK_WITHIN_MS;
		const isGone = await attempt(async () => {
			const kept = await storedContexts(this.contextOf(), suspension.executionId);
			const ledgers = kept?.flatMap((context) => keptLedger(context) ?? []);
			const isOther = ledgers?.every((ledger) => ledger.suspension?.id !== suspension.id);
			return ledgers === undefined || (ledgers.length > 0 && isOther === true);
		});
		this.answeredAt = Date.now();
		this.onAnswer(suspension, isGone.ok && isGone.value);
	}
}
