import type { INodeCredentialDescription } from 'n8n-workflow';

import type { Access } from '../execution/access';
import { API_CREDENTIAL, SIGNING_CREDENTIAL } from '../transport/client';
import type { Operation, Resource } from './operation';

/** The node's credentials, each shown only for the operations that need it. */
export function toCredentials(resources: readonly Resource[]): INodeCredentialDescription[] {
	return [
		{ ...credentialFor('apiKey', API_CREDENTIAL, resources), testedBy: 'testApiKey' },
		credentialFor('signed', SIGNING_CREDENTIAL, resources),
	];
}

function credentialFor(
	access: Access,
	name: string,
	resources: readonly Resource[],
): INodeCredentialDescription {
	const needs = (operation: Operation): boolean => accessOf(operation) === access;
	const concerned = resources.filter(({ operations }) => operations.some(needs));
	const all = concerned.flatMap(({ operations }) => operations);
	return {
		name,
		required: true,
		displayOptions: {
			show: {
				resource: concerned.map(({ value }) => value),
				...(!all.every(needs) && {
					operation: [...new Set(all.filter(needs).map(({ value }) => value))],
				}),
			},
		},
	};
}

function accessOf(operation: Operation): Access {
	return ('access' in operation ? operation.access : undefined) ?? 'apiKey';
}
