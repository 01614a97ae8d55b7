import { callbacksToNotify, NOTIFY_FIELDS } from '../../fields/notify';
import { RESULT_FIELDS } from '../../fields/output';
import { STARTING_FIELDS, waitForCompletionField } from '../../fields/waiting';
import { botField, INPUT_FIELDS, readFilledInput } from '../../fields';
import { toInput } from '../../service/schema/inputSchema';
import { path } from '../../service/http/request';
import { callbackFields } from '../../service/events/callback';
import { V3_RUNS } from '../../service/runs/runApi';
import type { Operation } from '../operation';

export const run: Operation = {
	value: 'run',
	name: 'Run',
	action: 'Run bot',
	description: 'Start a bot, wait until it is done, and get its result',
	fields: [
		botField,
		...INPUT_FIELDS,
		waitForCompletionField,
		...RESULT_FIELDS,
		...NOTIFY_FIELDS,
		...STARTING_FIELDS,
	],
	run: {
		api: V3_RUNS,
		inputOwner: (values) => path`/v3/bots/${values(botField)}`,
		start: (values, schema) => ({
			method: 'POST',
			path: path`/v3/bots/${values(botField)}/runs`,
			body: {
				input: toInput(schema, readFilledInput(values)),
				...callbackFields(callbacksToNotify(values)),
			},
		}),
	},
};
