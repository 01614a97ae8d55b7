import { ActionFixture, forAllTests, jsonOf } from '../fixture';

const fixture = forAllTests(new ActionFixture());

beforeEach(async () => await fixture.sandbox.reset());

describe('browsers', () => {
	it.each(['[1]', '"text"', '7', 'no JSON', '={{ [1] }}', '={{ 7 }}'])(
		'are not made from %p, and no request is sent',
		async (body) => {
			const run = await fixture.run('browser', 'create', { body });
			expect(run.error?.message).toMatch(/^'Body \(JSON\)' is/);
			expect(await fixture.sandbox.requests()).toEqual([]);
		},
	);

	it('are made from an expression’s object', async () => {
		const body = '={{ { name: $json.name, tags: [1] } }}';
		const items = [{ json: { name: 'A' } }];
		const run = await fixture.run('browser', 'create', { body }, { items });
		expect(jsonOf(run)).toEqual([expect.objectContaining({ name: 'A', tags: [1] })]);
	});
});

it('asks the captcha solver only with objects', async () => {
	const run = await fixture.run('browser', 'solveCaptcha', { body: '{ "a": 1 }' });
	expect(run.error?.message).toContain('something else than an object behind "a"');
});

it('sends only the fields of a human assist session that are given, as they are', async () => {
	const none = { objective: ' ', osType: '={{ null }}' };
	const options = { ...none, page: '={{ { url: "https://example.com" } }}', gateway: 'eu' };
	await fixture.run('humanAssist', 'create', { options });
	const [request] = await fixture.sandbox.requests();
	expect(request?.body).toEqual({ page: { url: 'https://example.com' }, gateway: 'eu' });
});
