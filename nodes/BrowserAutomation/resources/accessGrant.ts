import { ask, resource } from './operation';

export const accessGrant = resource({
	value: 'accessGrant',
	name: 'Access Grant',
	description: 'Request permission to purchase, renew or delete browsers, or to use a static proxy',
	operations: {
		createBrowserPurchase: {
			name: 'Create for Browser Purchase',
			action: 'Create access grant for purchasing browsers',
			description:
				'Request permission to purchase browsers. Browser > Get Many finds them by the request ID.',
			...ask('POST', '/v2/auth/access-grants/browser/purchase', {
				body: 'The browsers to purchase',
			}),
		},
		createBrowserRenewal: {
			name: 'Create for Browser Renewal',
			action: 'Create access grant for renewing browsers',
			description: 'Request permission to renew browsers',
			...ask('POST', '/v2/auth/access-grants/browser/renewal', {
				body: 'The browsers to renew',
			}),
		},
		createBrowserDeletion: {
			name: 'Create for Browser Deletion',
			action: 'Create access grant for deleting browsers',
			description: 'Request permission to delete browsers',
			...ask('POST', '/v2/auth/access-grants/browser/delete', {
				body: 'The browsers to delete',
			}),
		},
		createStaticProxy: {
			name: 'Create for Static Proxy',
			action: 'Create access grant for static proxy',
			description: 'Request access to a static proxy',
			...ask('POST', '/v2/auth/access-grants/static-proxy'),
		},
	},
});
