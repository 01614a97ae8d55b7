import { resource } from '../operation';
import { createBrowserDeletion } from './createBrowserDeletion';
import { createBrowserPurchase } from './createBrowserPurchase';
import { createBrowserRenewal } from './createBrowserRenewal';
import { createStaticProxy } from './createStaticProxy';

export const accessGrant = resource({
	value: 'accessGrant',
	name: 'Access Grant',
	description: 'Request permission to purchase, renew or delete browsers, or to use a static proxy',
	operations: {
		createBrowserPurchase,
		createBrowserRenewal,
		createBrowserDeletion,
		createStaticProxy,
	},
});
