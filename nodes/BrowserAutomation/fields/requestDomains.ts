import type { INodeProperties } from 'n8n-workflow';

/**
 * Where n8n's HTTP Request node may send a credential. n8n adds these fields to each credential that has none of this name,
 * and then allows all domains (2.41.1: n8n-workflow/credential-domain-restrictions.js; 1.123: load-nodes-and-credentials.js):
 * whoever may use the credential could send the key to a server of their own, and read it there.
 */
export const requestDomainFields: INodeProperties[] = [
	{
		displayName: 'Allowed HTTP Request Domains',
		name: 'allowedHttpRequestDomains',
		type: 'options',
		noDataExpression: true,
		options: [
			{
				name: 'All',
				value: 'all',
				description:
					'Anyone who may use this credential can send it anywhere, and so read its secret',
			},
			{ name: 'None', value: 'none', description: 'Only the Browser Automation nodes can use it' },
			{ name: 'Specific Domains', value: 'domains', description: 'Only the domains below' },
		],
		default: 'none',
		description:
			'Where the HTTP Request and GraphQL nodes may send this credential. The Browser Automation nodes need nothing here.',
	},
	{
		displayName: 'Allowed Domains',
		name: 'allowedDomains',
		type: 'string',
		noDataExpression: true,
		default: '',
		placeholder: 'e.g. api.browseract.com, *.example.com',
		description: 'Separated by commas. *.example.com means every name that ends in .example.com.',
		displayOptions: { show: { allowedHttpRequestDomains: ['domains'] } },
	},
];
