import { ask, at, bodyField, browserField, item, type Operation } from '../operation';

export const openRelay: Operation = {
	name: 'Open Relay',
	action: 'Open relay to browser',
	description: 'Open a relay to a browser instance',
	...ask('POST', at`/v2/browser/${browserField}/relay`, { body: bodyField('The relay to open') }),
	answer: item,
};
