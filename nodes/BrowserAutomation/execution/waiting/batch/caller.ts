import type { IExecuteFunctions } from 'n8n-workflow';

import { calledAt, isSubWorkflow } from '../platform';
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
	const tooLong = `took longer than ${ANSWER_WITHIN / 60_000} minutes`;
	const message = isSubWorkflow(context)
		? `The results ${tooLong}, so this sub-workflow slept. If the workflow that calls it runs it once for each item, n8n hands over the results of one item only: run it once with all items.`
		: `Whoever called this workflow was answered with the runs’ IDs: the results ${tooLong}. To answer with the results however long they take, have the trigger respond with a Respond to Webhook node, or choose Keep Running under Wait for Completion.`;
	context.addExecutionHints({ message, location: 'outputPane' });
}
