import { ask, at, bodyField, item, type Operation } from '../operation';

export const precheckPurchase: Operation = {
	name: 'Pre-Check Purchase',
	action: 'Pre-check purchase of browsers',
	description: 'Check whether your free quota or credits cover a purchase',
	...ask('POST', at`/v2/browser/purchase/precheck`, {
		body: bodyField('The purchase to check, with the number of browsers'),
	}),
	answer: item,
};
