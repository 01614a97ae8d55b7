import { NodeHelpers, type ICredentialType } from 'n8n-workflow';
import { BrowserAutomationApi } from '../../credentials/BrowserAutomationApi.credentials';
import { BrowserAutomationSigningApi } from '../../credentials/BrowserAutomationSigningApi.credentials';
import { toBaseUrl } from '../../nodes/BrowserAutomation/service/http/credential';

/** The credential's data as n8n hands them to its expressions (CredentialsHelper). */
function asN8nReads({ properties }: ICredentialType, data: Record<string, string>): unknown {
	return NodeHelpers.getNodeParameters(properties, data, true, false, null, null);
}

it.each([new BrowserAutomationApi(), new BrowserAutomationSigningApi()])(
	'an item cannot say where $name sends the key',
	(type) => {
		const read = asN8nReads(type, { baseUrl: '={{ $json.host }}', apiKey: '={{ $secrets.a.b }}' });
		expect(read).toHaveProperty('baseUrl', '{{ $json.host }}');
		expect(() => toBaseUrl('{{ $json.host }}')).toThrow('is not a base URL');
	},
);

it.each([new BrowserAutomationApi(), new BrowserAutomationSigningApi()])(
	'HTTP Request may send $name nowhere, unless its owner allows it; an item cannot',
	(type) => {
		expect(asN8nReads(type, {})).toHaveProperty('allowedHttpRequestDomains', 'none');
		const read = asN8nReads(type, { allowedHttpRequestDomains: '={{ $json.mode }}' });
		expect(read).toHaveProperty('allowedHttpRequestDomains', '{{ $json.mode }}');
	},
);

it('the key itself may come from an external secret', () => {
	const data = { baseUrl: 'https://api.example.com', apiKey: '={{ $secrets.a.b }}' };
	expect(asN8nReads(new BrowserAutomationApi(), data)).toHaveProperty(
		'apiKey',
		'={{ $secrets.a.b }}',
	);
});

it.each(['app-1', ' Bearer app-1 ', 'Authorization: bearer app-1'])(
	'%j is sent as the key app-1, in the place of any other authorization',
	async (apiKey) => {
		const { authenticate } = new BrowserAutomationApi();
		if (typeof authenticate !== 'function') throw new Error('The credential signs in otherwise');
		const headers = { Authorization: 'Basic other', Accept: '*/*' };
		const sent = await authenticate({ apiKey }, { url: 'https://api.example.com', headers });
		expect(sent.headers).toEqual({ Authorization: 'Bearer app-1', Accept: '*/*' });
	},
);
