import { item } from '../../execution/handlers';
import { optionalBodyField } from '../../fields';
import type { Operation } from '../operation';

const body = optionalBodyField('The log file');

export const getLogUploadUrl: Operation = {
	value: 'getLogUploadUrl',
	name: 'Get Log Upload URL',
	action: 'Get log upload URL, signed',
	description: 'Get a URL to upload a log file to, with a signature instead of an API key',
	fields: [body],
	access: 'signed',
	request: (values) => ({
		method: 'POST',
		path: '/open/cli/log/upload-url',
		body: values(body),
	}),
	answer: item,
};
