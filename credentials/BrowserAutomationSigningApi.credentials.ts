import type {
	IAuthenticate,
	ICredentialDataDecryptedObject,
	ICredentialTestRequest,
	ICredentialType,
	IHttpRequestOptions,
	INodeProperties,
	Icon,
} from 'n8n-workflow';

import {
	baseUrlProperty,
	requestDomainFields,
	signatureFields,
} from '../nodes/BrowserAutomation/fields/credentials';
import {
	DEFAULT_SIGNED_TEXT,
	signatureHeaders,
	type SigningScheme,
} from '../nodes/BrowserAutomation/service/http/signature';

function toScheme(credentials: ICredentialDataDecryptedObject): SigningScheme {
	return {
		secret: String(credentials.signingSecret).trim(),
		template: String(credentials.signedText),
		encoding: credentials.encoding === 'base64' ? 'base64' : 'hex',
		timestampUnit: credentials.timestampUnit === 'seconds' ? 'seconds' : 'milliseconds',
	};
}

function pathOf({ url, baseURL }: IHttpRequestOptions): string {
	const { pathname, search } = new URL(url, baseURL);
	return pathname + search;
}

function bodyOf({ body }: IHttpRequestOptions): string {
	if (body === undefined) return '';
	return typeof body === 'string' ? body : JSON.stringify(body);
}

/** Access to the signed public operations: where the service is, and how requests are signed. */
export class BrowserAutomationSigningApi implements ICredentialType {
	name = 'browserAutomationSigningApi';

	displayName = 'Browser Automation Signing API';

	icon: Icon = {
		light: 'file:../icons/browserAutomation.svg',
		dark: 'file:../icons/browserAutomation.dark.svg',
	};

	documentationUrl = 'https://www.npmjs.com/package/n8n-nodes-browser-automation#credentials';

	properties: INodeProperties[] = [
		{
			displayName:
				"The service does not publish how these requests are signed: ask its support what to enter below. The test only checks that the 'Base URL' answers, not the secret.",
			name: 'notice',
			type: 'notice',
			default: '',
		},
		baseUrlProperty,
		{
			displayName: 'Signing Secret',
			name: 'signingSecret',
			type: 'string',
			typeOptions: { password: true },
			default: '',
			description: 'The secret that the service’s support gave you',
			required: true,
		},
		{
			displayName: 'Signed Text',
			name: 'signedText',
			type: 'string',
			default: DEFAULT_SIGNED_TEXT,
			description:
				'The text that is signed. {timestamp}, {body}, {method} and {path} are replaced by what is sent. Write \\n for a new line, \\t for a tab, \\\\ for a backslash, \\{ and \\} for braces.',
			required: true,
		},
		...signatureFields,
		...requestDomainFields,
	];

	authenticate: IAuthenticate = async (credentials, requestOptions) => ({
		...requestOptions,
		headers: {
			...requestOptions.headers,
			...signatureHeaders(
				toScheme(credentials),
				{
					method: requestOptions.method ?? 'GET',
					path: pathOf(requestOptions),
					body: bodyOf(requestOptions),
				},
				Date.now(),
			),
		},
	});

	test: ICredentialTestRequest = {
		request: {
			method: 'POST',
			baseURL: '={{ $credentials.baseUrl.trim().replace(/\\/+$/, "") }}',
			url: '/open/cli/packages',
		},
	};
}
