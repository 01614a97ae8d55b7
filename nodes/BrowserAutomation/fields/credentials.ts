import type { INodeProperties } from 'n8n-workflow';

import { REQUEST_LIMITS } from '../service/http/credential';
import { choice, notice, numberOption, text, toProperties } from './fieldBuilders';
import { readOptionalText } from './parseValue';
import { baseUrlField } from './requests';

/** Where the service is. */
export const baseUrlProperty: INodeProperties = {
	...baseUrlField.parameter,
	name: 'baseUrl',
	noDataExpression: true,
	description: 'Address of the service’s API. Keep the default for BrowserAct.',
};

/**
 * Where n8n's HTTP Request node may send a credential. n8n adds these fields to each credential that has none of this name,
 * and then allows all domains (2.41.1: n8n-workflow/credential-domain-restrictions.js; 1.123: load-nodes-and-credentials.js):
 * whoever may use the credential could send the key to a server of their own, and read it there.
 */
export const requestDomainFields = toProperties([
	choice('allowedHttpRequestDomains', 'Allowed HTTP Request Domains', {
		noDataExpression: true,
		default: 'none',
		description:
			'Where the HTTP Request and GraphQL nodes may send this credential. The Browser Automation nodes need nothing here.',
		choices: {
			all: [
				'All',
				'Anyone who may use this credential can send it anywhere, and so read its secret',
			],
			none: ['None', 'Only the Browser Automation nodes can use it'],
			domains: ['Specific Domains', 'Only the domains below'],
		},
	}),
	text('allowedDomains', 'Allowed Domains', {
		noDataExpression: true,
		placeholder: 'e.g. api.browseract.com, *.example.com',
		description: 'Separated by commas. *.example.com means every name that ends in .example.com.',
		showWhen: { allowedHttpRequestDomains: ['domains'] },
		read: readOptionalText,
	}),
]);

const HOW_MANY = {
	requestsAtATime:
		'How many requests a node sends to the service at the same time. Not how many runs: your plan decides that.',
	responseTimeout:
		"How long one request may take. The wait for a run is 'Wait Limit', in the node.",
	maxResponseSize: 'Largest response, or file with rows, to read. It is held in memory.',
} as const;

/** How requests are sent. */
export const requestLimitFields = toProperties([
	notice('limits', 'For experts: how requests are sent. The defaults suit nearly everyone.'),
	...(['requestsAtATime', 'responseTimeout', 'maxResponseSize'] as const).map((name) => {
		const { label, default: byDefault, max } = REQUEST_LIMITS[name];
		const description = HOW_MANY[name];
		return numberOption(name, label, {
			under: undefined,
			description,
			default: byDefault,
			to: max,
		});
	}),
]);

/** How a signature is written. */
export const signatureFields = toProperties([
	choice('encoding', 'Signature Encoding', {
		default: 'hex',
		description: 'How the signature is written',
		choices: { base64: 'Base64', hex: 'Hexadecimal' },
	}),
	choice('timestampUnit', 'Timestamp Unit', {
		default: 'milliseconds',
		description: 'Unit of the timestamp, counted since 1970',
		choices: { milliseconds: 'Milliseconds', seconds: 'Seconds' },
	}),
]);
