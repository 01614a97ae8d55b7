import { item } from '../../execution/handlers';
import { concurrencyField } from '../../fields/concurrency';
import { bodyField } from '../../fields';
import type { Operation } from '../operation';

const body = bodyField('the purchase to check');

export const precheckPurchase: Operation = {
	value: 'precheckPurchase',
	name: 'Pre-Check Purchase',
	action: 'Pre-check a purchase of browsers',
	description: 'Ask whether a number of browsers is covered by free quota or credits',
	fields: [body, concurrencyField],
	request: (values) => ({
		method: 'POST',
		path: '/v2/browser/purchase/precheck',
		body: values(body),
	}),
	answer: item,
};
