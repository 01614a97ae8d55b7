import { callbacksToNotify, NOTIFY_FIELDS } from '../../fields/notify';
import { RESULT_FIELDS } from '../../fields/output';
import { STARTING_FIELDS, waitForCompletionField } from '../../fields/waiting';
import { INPUT_FIELDS, proxyRegionOption, readFilledInput, templateField } from '../../fields';
import { toInput } from '../../service/schema/inputSchema';
import { path } from '../../service/http/request';
import { callbackFields } from '../../service/events/callback';
import { V3_RUNS } from '../../service/runs/runApi';
import type { Operation } from '../operation';

export const run: Operation = {
	value: 'run',
	name: 'Run',
	action: 'Run template',
	description: 'Start an official template, wait until it is done, and get its result',
	fields: [
		templateField,
		...INPUT_FIELDS,
		waitForCompletionField,
		...RESULT_FIELDS,
		proxyRegionOption,
		...NOTIFY_FIELDS,
		...STARTING_FIELDS,
	],
	run: {
		api: V3_RUNS,
		inputOwner: (values) => path`/v3/bots/templates/${values(templateField)}`,
		start: (values, schema) => {
			const region = values(proxyRegionOption);
			return {
				method: 'POST',
				path: path`/v3/bots/templates/${values(templateField)}/runs`,
				body: {
					input: toInput(schema, readFilledInput(values)),
					...(region !== undefined && { proxy_region: region }),
					...callbackFields(callbacksToNotify(values)),
				},
			};
		},
	},
};
