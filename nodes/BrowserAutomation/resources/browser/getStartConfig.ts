import { ask, at, bodyField, browserField, item, type Operation } from '../operation';

export const getStartConfig: Operation = {
	name: 'Get Start Config',
	action: 'Get start config of browser',
	description: 'Read the encrypted launch configuration of a browser, with version information',
	...ask('POST', at`/v2/browser/${browserField}/start-config`, {
		body: bodyField('The client that starts the browser'),
	}),
	answer: item,
};
