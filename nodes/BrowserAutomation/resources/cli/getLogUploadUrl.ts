import { item } from '../../execution/handlers';
import { optionalBodyField } from '../../fields';
import type { Operation } from '../operation';

const body = optionalBodyField('The log file');

export const getLogUploadUrl: Operation = {
	value: 'getLogUploadUrl',
	name: 'Get Log Upload URL',
	action: 'Get log upload URL',
	description: 'Get a URL to upload a log file to',
	fields: [body],
	request: (values) => ({ method: 'POST', path: '/v2/cli/log/upload-url', body: values(body) }),
	answer: item,
};
