import { item } from '../../execution/handlers';
import { bodyField } from '../../fields';
import type { Operation } from '../operation';

const body = bodyField('The purchase to check, with the number of browsers');

export const precheckPurchase: Operation = {
	value: 'precheckPurchase',
	name: 'Pre-Check Purchase',
	action: 'Pre-check purchase of browsers',
	description: 'Check whether your free quota or credits cover a purchase',
	fields: [body],
	request: (values) => ({
		method: 'POST',
		path: '/v2/browser/purchase/precheck',
		body: values(body),
	}),
	answer: item,
};
