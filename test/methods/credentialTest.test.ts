import { testApiKey } from '../../nodes/BrowserAutomation/methods/credentialTest';
import { contextOf, CredentialTestContext } from '../core/harness/core-bridge';
import { answerJson, Fixture, forAllTests, Origin } from '../fixture';

const redirecting = forAllTests(new Origin());
const elsewhere = forAllTests(new Origin());

const fixture = forAllTests(new Fixture());

async function testOf(data: { baseUrl?: string; apiKey?: string }): Promise<unknown> {
	return await testApiKey.call(contextOf(new CredentialTestContext()), {
		id: '1',
		name: 'Mine',
		type: 'browserAutomationApi',
		data: { baseUrl: fixture.sandbox.url, apiKey: fixture.sandbox.key, ...data },
	});
}

it('a key is accepted, also as the whole header', async () => {
	const apiKey = `Authorization: Bearer ${fixture.sandbox.key}\n`;
	expect(await testOf({ apiKey })).toMatchObject({ status: 'OK' });
});

it('it takes one small read, also where the service has a fault', async () => {
	await fixture.sandbox.clearRequests();
	await fixture.sandbox.addFault({ kind: 'serverError', times: 1 });
	expect(await testOf({})).toMatchObject({ status: 'Error' });
	expect(await fixture.sandbox.requests()).toMatchObject([{ path: '/v3/bots', query: 'limit=1' }]);
});

it('a wrong key is reported in the service’s words, with what to do, and is not shown itself', async () => {
	const result = await testOf({ apiKey: 'wrong-key-4711' });
	const message = expect.stringMatching(/does not accept the API key.*Paste the API key again/);
	expect(result).toMatchObject({ status: 'Error', message });
	expect(JSON.stringify(result)).not.toContain('wrong-key-4711');
});

it('a server that sends the request elsewhere is no service, and the key goes nowhere else', async () => {
	elsewhere.answerWith((_, response) => answerJson(response, 200, { items: [] }));
	redirecting.answerWith((_, response) =>
		response.writeHead(302, { location: `${elsewhere.url}/v3/bots` }).end(),
	);
	const message = expect.stringContaining('HTTP 302');
	expect(await testOf({ baseUrl: redirecting.url })).toMatchObject({ status: 'Error', message });
	expect(elsewhere.received).toEqual([]);
});

it.each([
	[{ apiKey: 'two words' }, 'holds a space'],
	[{ baseUrl: 'https://me:pass-4711@api.example.com' }, 'holds a user name or a password'],
])('%j is refused before a request is made', async (data, message) => {
	const result = await testOf(data);
	expect(result).toMatchObject({ status: 'Error', message: expect.stringContaining(message) });
	expect(JSON.stringify(result)).not.toContain('pass-4711');
});
