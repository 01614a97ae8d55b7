import type { IAuthenticate, ICredentialType, INodeProperties, Icon } from 'n8n-workflow';

import {
	baseUrlProperty,
	requestDomainFields,
	requestLimitFields,
} from '../nodes/BrowserAutomation/fields/credentials';
import { toApiKey } from '../nodes/BrowserAutomation/service/http/credential';

/**
 * Access to the service: where it is, and the API key that goes with each request. The nodes test it
 * (methods/credentialTest.ts).
 */
export class BrowserAutomationApi implements ICredentialType {
	name = 'browserAutomationApi';

	displayName = 'Browser Automation API';

	icon: Icon = {
		light: 'file:../icons/browserAutomation.svg',
		dark: 'file:../icons/browserAutomation.dark.svg',
	};

	documentationUrl = 'https://www.npmjs.com/package/n8n-nodes-browser-automation#credentials';

	properties: INodeProperties[] = [
		{
			displayName: 'API Key',
			name: 'apiKey',
			type: 'string',
			typeOptions: { password: true },
			default: '',
			description:
				'The API key of your account. In <a href="https://www.browseract.com" target="_blank">BrowserAct</a> you create it under Integrations > Manage API Keys.',
			required: true,
		},
		baseUrlProperty,
		...requestLimitFields,
		...requestDomainFields,
	];

	authenticate: IAuthenticate = async ({ apiKey }, requestOptions) => {
		const authorization = `Bearer ${toApiKey(String(apiKey))}`;
		return {
			...requestOptions,
			headers: { ...requestOptions.headers, Authorization: authorization },
		};
	};
}
