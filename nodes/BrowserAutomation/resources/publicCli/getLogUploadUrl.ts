import { ask, at, item, optionalBodyField, type Operation } from '../operation';

export const getLogUploadUrl: Operation = {
	name: 'Get Log Upload URL',
	action: 'Get log upload URL, signed',
	description: 'Get a URL to upload a log file to, with a signature instead of an API key',
	access: 'signed',
	...ask('POST', at`/open/cli/log/upload-url`, { body: optionalBodyField('The log file') }),
	answer: item,
};
