import { callbacksToNotify } from '../../fields/notify';
import { callbackFields } from '../../service/events/callback';
import { toInput } from '../../service/schema/inputSchema';
import { path } from '../../service/http/request';
import { V3_RUNS } from '../../service/runs/runApi';
import { botField, INPUT_FIELDS, readFilledInput, type Operation } from '../operation';

export const run: Operation = {
	name: 'Run',
	action: 'Run bot',
	description: 'Start a bot, wait until it is done, and get its result',
	fields: [botField, ...INPUT_FIELDS],
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
