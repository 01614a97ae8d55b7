import { ActionFixture, forAllTests, jsonOf, Origin, signingCredential } from '../fixture';

const fixture = forAllTests(new ActionFixture());

/** A service that has agreed on another signature than most. */
const SIGNING = {
	template: 'v0:${timestamp}:${body}',
	encoding: 'base64',
	unit: 'seconds',
} as const;
const other = forAllTests(new ActionFixture({ service: { signing: SIGNING } }));

const silent = forAllTests(new Origin());

beforeEach(async () => await fixture.sandbox.clearRequests());

const signing = (further: Record<string, string> = {}) =>
	signingCredential(` ${fixture.sandbox.url}/ `, further);

const event = { body: { event: 'ä 漢 "quoted" \\n', n: 1.0, at: '={{ $now }}' } };

describe('signed operations', () => {
	it('can be signed otherwise, as the service’s support tells', async () => {
		const credentials = signingCredential(other.sandbox.url, {
			signedText: 'v0:{timestamp}:{body}',
			encoding: 'base64',
			timestampUnit: 'seconds',
		});
		const run = await other.run('publicCli', 'getLogUploadUrl', { body: '{}' }, { credentials });
		expect(run.error).toBeUndefined();
		expect(jsonOf(run)).toEqual([expect.objectContaining({ url: expect.any(String) })]);
	});

	it('say that it is the signature when the service does not accept it', async () => {
		const credentials = signing({ signingSecret: 'another-secret' });
		const run = await fixture.run('publicCli', 'track', event, { credentials });
		expect(run.error?.message).toBe(
			'The service does not accept the signature: invalid signature (code 401)',
		);
		expect(run.error).toHaveProperty('description', expect.stringContaining('signed text'));
		expect(JSON.stringify(run.execution)).not.toContain('another-secret');
	});

	it.each([
		['"signed with another-secret"', expect.stringContaining('signed with (hidden)')],
		['null', 'The service does not accept the signature (code 401)'],
	])('that are refused for %s tell no secret, and say why in a sentence', async (msg, said) => {
		const body = `{"code":401,"msg":${msg},"data":null}`;
		await fixture.sandbox.addFault({ kind: 'answer', status: 400, body, times: 1 });
		const credentials = signing({ signingSecret: ' another-secret ' });
		const run = await fixture.run('publicCli', 'track', event, { credentials });
		expect(run.error?.message).toEqual(said);
	});

	it('are signed for each item with the secret that its expression gives', async () => {
		const credentials = signing({ signingSecret: '={{ $json.secret }}' });
		const items = [' sandbox-secret ', 'another-secret'].map((secret) => ({ json: { secret } }));
		const setup = { credentials, items, onError: 'continueRegularOutput' } as const;
		const run = await fixture.run('publicCli', 'track', event, setup);
		const error = 'The service does not accept the signature: invalid signature (code 401)';
		expect(jsonOf(run)).toMatchObject([{ success: true }, { error }]);
	});

	it('need the signing credential', async () => {
		const run = await fixture.run('publicCli', 'track', event);
		expect(run.error).toBeDefined();
		expect(await fixture.sandbox.requests()).toEqual([]);
	});
});

describe('open operations', () => {
	it('work with no credential at all, each item at its own base URL', async () => {
		const parameters = { machineId: '={{ $json.machine }}', baseUrl: '={{ $json.url }}' };
		const items = [
			{ json: { machine: 'a', url: fixture.sandbox.url } },
			{ json: { machine: 'b', url: 'ftp://example.com' } },
		];
		const setup = { credentials: {}, items, onError: 'continueRegularOutput' } as const;
		const run = await fixture.run('publicCli', 'createApiKeySession', parameters, setup);
		const error = expect.stringContaining('is not a base URL');
		expect(jsonOf(run)).toMatchObject([{ machine_id: 'a' }, { error }]);
	});

	it.each([['api.example.com'], ['http://127.0.0.1:1']])(
		'tell of their own base URL, as there is no credential to open: %s',
		async (baseUrl) => {
			const run = await fixture.run('publicCli', 'getPackages', { baseUrl }, { credentials: {} });
			expect(run.error).toHaveProperty(
				'description',
				expect.stringContaining("'Base URL' of the credential or, without one, of the node"),
			);
		},
	);

	it('fail where the answer has no list of packages', async () => {
		await fixture.sandbox.addFault({ kind: 'answer', status: 200, body: '{"a":1}', times: 1 });
		const parameters = { baseUrl: fixture.sandbox.url };
		const run = await fixture.run('publicCli', 'getPackages', parameters, { credentials: {} });
		expect(run.error?.message).toBe('The service’s answer has no list in it');
	});

	it('end when the execution is stopped', async () => {
		const stop = new AbortController();
		silent.answerWith(() => stop.abort());
		const setup = { credentials: {}, signal: stop.signal };
		const run = await fixture.run('publicCli', 'getPackages', { baseUrl: silent.url }, setup);
		expect(run.status).toBe('canceled');
		expect(run.error?.message).toBe('The execution was stopped');
		expect(silent.received).toHaveLength(1);
	});
});
