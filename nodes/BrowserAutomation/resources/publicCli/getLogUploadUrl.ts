import { item } from '../../execution/handlers';
import { concurrencyField } from '../../fields/concurrency';
import { bodyField } from '../../fields';
import type { Operation } from '../operation';

const body = bodyField('the log file');

export const getLogUploadUrl: Operation = {
	value: 'getLogUploadUrl',
	name: 'Get Log Upload URL',
	action: 'Get a log upload URL, signed',
	description:
		'Get an address to which a log file can be uploaded with a signature instead of an API key',
	fields: [body, concurrencyField],
	access: 'signed',
	request: (values) => ({
		method: 'POST',
		path: '/open/cli/log/upload-url',
		body: values(body),
	}),
	answer: item,
};
