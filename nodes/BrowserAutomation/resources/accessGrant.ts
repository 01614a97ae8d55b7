import { ask, operation, resource } from './operation';

export const accessGrant = resource('accessGrant', 'Access Grant', {
	description: 'Request permission to purchase, renew or delete browsers, or to use a static proxy',
	operations: {
		createBrowserPurchase: operation(
			'Create for Browser Purchase',
			'Create access grant for purchasing browsers',
			{
				description:
					'Request permission to purchase browsers. Browser > Get Many finds them by the request ID.',
				...ask('POST', '/v2/auth/access-grants/browser/purchase', {
					body: 'The browsers to purchase',
				}),
			},
		),
		createBrowserRenewal: operation(
			'Create for Browser Renewal',
			'Create access grant for renewing browsers',
			{
				description: 'Request permission to renew browsers',
				...ask('POST', '/v2/auth/access-grants/browser/renewal', { body: 'The browsers to renew' }),
			},
		),
		createBrowserDeletion: operation(
			'Create for Browser Deletion',
			'Create access grant for deleting browsers',
			{
				description: 'Request permission to delete browsers',
				...ask('POST', '/v2/auth/access-grants/browser/delete', { body: 'The browsers to delete' }),
			},
		),
		createStaticProxy: operation(
			'Create for Static Proxy',
			'Create access grant for static proxy',
			{
				description: 'Request access to a static proxy',
				...ask('POST', '/v2/auth/access-grants/static-proxy'),
			},
		),
	},
});
