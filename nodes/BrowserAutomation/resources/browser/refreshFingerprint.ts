import { done } from '../../execution/handlers';
import { concurrencyField } from '../../fields/concurrency';
import { browserField } from '../../fields';
import { path } from '../../service/http/request';
import type { Operation } from '../operation';

export const refreshFingerprint: Operation = {
	value: 'refreshFingerprint',
	name: 'Refresh Fingerprint',
	action: 'Refresh fingerprint of browser',
	description: 'Give a browser instance a new fingerprint',
	fields: [browserField, concurrencyField],
	request: (values) => ({
		method: 'POST',
		path: path`/v2/browser/${values(browserField)}/refresh-fingerprint`,
	}),
	answer: done,
};
