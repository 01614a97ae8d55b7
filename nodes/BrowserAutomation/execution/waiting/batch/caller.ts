import type { IExecuteFunctions } from 'n8n-workflow';

import { calledAt } from '../platform';
import { ANSWER_WITHIN } from '../sleep/schedule';

/**
 * Until when the execution does not sleep, in milliseconds since 1970, because whoever called it is
 * answered with the results of its last node; long over where nobody is.
 */
export function answerBy(context: IExecuteFunctions): number {
	return (calledAt(context) ?? -Infinity) + ANSWER_WITHIN;
}

/** Says, where the execution slept for all that, what its caller was answered. */
export function noteAnswered(context: IExecuteFunctions): void {
	if (calledAt(context) === undefined) return;
	const message = `Whoever called this workflow was answered with the runs’ IDs: the results took longer than ${ANSWER_WITHIN / 60_000} minutes. To answer with the results however long they take, have the trigger respond with a Respond to Webhook node, or choose Keep Running under Wait for Completion.`;
	context.addExecutionHints({ message, location: 'outputPane' });
}
