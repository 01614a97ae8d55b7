import { ask, at, item, optionalBodyField, type Operation } from '../operation';

export const getLogUploadUrl: Operation = {
	name: 'Get Log Upload URL',
	action: 'Get log upload URL',
	description: 'Get a URL to upload a log file to',
	...ask('POST', at`/v2/cli/log/upload-url`, { body: optionalBodyField('The log file') }),
	answer: item,
};
