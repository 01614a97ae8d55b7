import { ask, at, browserField, done, type Operation } from '../operation';

export const refreshFingerprint: Operation = {
	name: 'Refresh Fingerprint',
	action: 'Refresh fingerprint of browser',
	description: 'Give a browser instance a new fingerprint',
	...ask('POST', at`/v2/browser/${browserField}/refresh-fingerprint`),
	answer: done,
};
