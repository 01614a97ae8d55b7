import { callbacksToNotify } from '../../fields/notify';
import { callbackFields } from '../../service/events/callback';
import { toInput } from '../../service/schema/inputSchema';
import { path } from '../../service/http/request';
import { V3_RUNS } from '../../service/runs/runApi';
import {
	given,
	INPUT_FIELDS,
	proxyRegionOption,
	readFilledInput,
	templateField,
	type Operation,
} from '../operation';

export const run: Operation = {
	name: 'Run',
	action: 'Run template',
	description: 'Start an official template, wait until it is done, and get its result',
	fields: [templateField, ...INPUT_FIELDS, proxyRegionOption],
	run: {
		api: V3_RUNS,
		inputOwner: (values) => path`/v3/bots/templates/${values(templateField)}`,
		start: (values, schema) => ({
			method: 'POST',
			path: path`/v3/bots/templates/${values(templateField)}/runs`,
			body: {
				input: toInput(schema, readFilledInput(values)),
				...given(values, { proxy_region: proxyRegionOption }),
				...callbackFields(callbacksToNotify(values)),
			},
		}),
	},
};
