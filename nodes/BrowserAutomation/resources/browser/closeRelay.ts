import { ask, at, browserField, done, type Operation } from '../operation';

export const closeRelay: Operation = {
	name: 'Close Relay',
	action: 'Close relay of browser',
	description: 'Close the relay of a browser instance',
	...ask('DELETE', at`/v2/browser/${browserField}/relay`),
	answer: done,
};
