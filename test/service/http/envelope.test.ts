import {
	readEnvelope,
	readRefusal,
	refusal,
} from '../../../nodes/BrowserAutomation/service/http/envelope';

function enveloped(code: number, msg: string, httpStatus = 400, traceId?: string) {
	const traced = traceId === undefined ? {} : { traceId };
	return refusal(httpStatus, readEnvelope({ code, msg, data: null, ...traced }));
}

describe('a refusal', () => {
	it('says what happened with the service’s own words and code, and what to do', () => {
		const { message, advice, facts } = enveloped(10020, 'version 3 is a draft', 400, 'trace-7');
		expect(message).toBe('The bot is not published: version 3 is a draft (code 10020)');
		expect(advice).toContain('Publish the bot');
		expect(advice).toContain('Trace ID: trace-7');
		expect(facts).toMatchObject({ code: 10020, traceId: 'trace-7', httpStatus: 400 });
	});

	it.each([
		[10020, 'bot is not published', 'The bot is not published'],
		[10112, 'The run does not exist', 'The run does not exist in this account'],
		[10112, 'task does not exist', 'The run does not exist in this account'],
		[10176, 'template 7 does not exist', 'Template 7 does not exist'],
		[10121, 'task is already completed', 'The run has already ended'],
		[10021, 'incomplete', 'The agent bot’s model configuration is incomplete'],
		[10142, 'required input is missing: keyword', 'Required input is missing: keyword'],
		[10118, 'it allows 3', 'The plan’s limit of running tasks is reached: it allows 3'],
	])('%i with the words "%s" says it once', (code, msg, expected) => {
		const { message, facts } = enveloped(code, msg);
		expect(message).toBe(`${expected} (code ${code})`);
		expect(facts.msg).toBe(msg);
	});

	it.each([
		[429, 200, 429],
		[500, 400, 500],
		[0, 503, 503],
		[429, 504, 504],
		[500, 429, 429],
		[401, 400, 400],
		[10112, 400, 400],
	])('with code %i in an answer with HTTP %i counts as HTTP %i', (code, answered, expected) => {
		expect(enveloped(code, 'no', answered).facts).toMatchObject({ code, httpStatus: expected });
	});

	it('asks for a trace ID only where there is one', () => {
		const { advice } = enveloped(500, 'internal error', 500, 't-9');
		expect(advice).toBe('Try again later. If it stays, tell the service’s support. Trace ID: t-9.');
		for (const fault of [enveloped(500, 'internal error', 500), refusal(502, undefined)]) {
			expect(fault.advice).not.toMatch(/trace/i);
		}
	});

	it('that nobody knows says what to do with the service’s words, and without any', () => {
		for (const code of [99001, 4711, undefined]) {
			const { advice } = refusal(400, { code, msg: 'limit', traceId: undefined, data: null });
			expect(advice).toMatch(/^Correct what the message names. If it names nothing, check what/);
		}
	});

	it.each([
		[429, 7_000, 'Try again in 7 seconds'],
		[503, 119_000, 'Try again in 119 seconds'],
		[503, 120_000, 'Try again in 2 minutes'],
		[400, 7_000, 'Correct what the message names'],
	])('of status %i says when to try again where the service does: %i ms', (status, ms, words) => {
		const { advice } = refusal(status, undefined, ms);
		expect(advice).toContain(words);
		expect(/in \d/.test(advice)).toBe(status !== 400);
	});

	it('of V2 may be that V2 is switched off, not that the Base URL is wrong', () => {
		for (const status of [404, 405, 410, 501]) {
			const { message, advice } = refusal(status, undefined, 0, '/v2/workflow/get-task');
			expect(message).toContain('does not offer this operation of its V2 interface');
			expect(advice).toContain('V2 may be switched off');
		}
		expect(refusal(404, undefined, 0, '/v3/bots').message).not.toContain('V2');
		expect(refusal(404, undefined, 0, '/v3/bots').advice).toBe(
			"Check the 'Base URL' of the credential or, without one, of the node: it has no path such as /v3. If you gave an ID, check that, too.",
		);
		const words = readRefusal('{"message":"no such run"}');
		expect(refusal(404, words).message).toBe('The service did not find it: no such run (HTTP 404)');
	});

	it('of V2 may be about an ID or a path that is wrong: the service has more in V2 than workflows', () => {
		for (const path of ['/v2/browser/12', '/v2/cli-service/no/such/path']) {
			const { message, advice } = refusal(404, readRefusal('{"msg":"no browser"}'), 0, path);
			expect(message).toMatch(/^The service did not find it, or .*: no browser \(HTTP 404\)$/);
			expect(advice).toMatch(/^Check the ID or path\. /);
		}
	});

	it('of who asks is about the signature where no key is sent, else about the key', () => {
		const adviceFor = (status: number, path: string): string =>
			refusal(status, undefined, 0, path).advice;

		expect(adviceFor(401, '/open/cli/tracking')).toMatch(/^Open the signing credential/);
		expect(adviceFor(401, '/v3/open/')).not.toMatch(/signing/);
		expect(adviceFor(401, '/open/cli/packages')).not.toMatch(/signing/);
		expect(adviceFor(400, '/open/cli/tracking')).not.toMatch(/signing/);
	});

	it.each([
		[401, 'API key'],
		[404, 'did not find it'],
		[429, 'slow down'],
		[503, 'The service failed'],
		[400, 'refused'],
		[403, 'does not allow this'],
		[407, 'A proxy asks who is calling'],
		[408, 'takes too long'],
		[410, 'gone'],
		[413, 'too large'],
		[414, 'too large'],
		[431, 'too large'],
		[504, 'takes too long'],
	])('without an envelope is explained by HTTP %i', (status, word) => {
		expect(refusal(status, undefined).message).toMatch(RegExp(`${word}.*HTTP ${status}`));
	});
});

describe('an envelope', () => {
	it.each([
		[{ code: 'US', name: 'United States' }],
		[{ code: 5, name: 'Five' }],
		[{ code: '10118x', msg: 'no number' }],
		[{ code: 'x10118', msg: 'no number' }],
		[{ task_id: '1', status: 'created' }],
		[[{ code: 0, msg: 'ok' }]],
		[null],
	])('is not seen in %p', (body) => {
		expect(readEnvelope(body)).toBeUndefined();
	});

	it.each([
		[{ code: '10118', msg: 'full' }, 10118, 'full'],
		[{ code: '10118' }, 10118, undefined],
		[{ code: 7, message: 'Nothing left' }, 7, 'Nothing left'],
		[{ code: 7, msg: { field: 'input' }, data: null }, 7, '{"field":"input"}'],
	])('is read from %p', (body, code, msg) => {
		expect(readEnvelope(body)).toMatchObject({ code, msg });
	});
});

describe('a refusing answer', () => {
	const NOTHING = 'The service refused the request (HTTP 400)';

	it.each([
		['{"code":"10111","msg":"no bot","traceId":"t-1"}', ': no bot (code 10111)'],
		['{"msg":{"field":"input","reason":"too long"}}', '"reason":"too long"'],
		['{"error":"invalid_request","detail":"limit is 100"}', ': limit is 100 (HTTP 400)'],
		['"limit is 100"', ': limit is 100 (HTTP 400)'],
		['limit is 100\n', ': limit is 100 (HTTP 400)'],
		['{"code":null,"msg":" "}', NOTHING],
		['limit < 100', ': limit < 100 (HTTP 400)'],
		['\n <html>Bad Gateway</html>', 'refused the request: Bad Gateway (HTTP 400)'],
		['<title> 413 Too\nLarge</title><h1>413  Too\nLarge</h1><hr>nginx', ': 413 Too Large (HTTP'],
		['<title>Just a moment</title><script>if (a < b) go()</script>', ': Just a moment'],
		['<style>a{}</style><!-- x --><h1>Not  here</h1><hr>nginx', ': Not here nginx (HTTP'],
		['<html><body></body></html>', NOTHING],
		['{"errors":[{"message":"too long"},{"message":"too many"}]}', ': too long; too many ('],
		['{"errors":["alpha","beta","gamma","delta"]}', ': alpha; beta; gamma ('],
		['{"errors":[null,"beta"]}', ': beta ('],
		['<title lang="en">Closed</title>', ': Closed ('],
		['<p><!-- a > b -->Closed<script>x()</script > now<', ': Closed now ('],
		['{"errors":{"keyword":["is required"]}}', '{"keyword":["is required"]}'],
		['{"error":{"code":7,"message":"no quota"}}', ': no quota (HTTP'],
		['{"type":"about:blank","title":"Out of credit","detail":"It is 30"}', ': It is 30 ('],
		['{"type":"about:blank","title":"Out of credit"}', ': Out of credit ('],
		['{"error":true,"message":""}', NOTHING],
		['', NOTHING],
	])('keeps its words: %s', (text, words) => {
		const { message, facts } = refusal(400, readRefusal(text));
		expect(message).toContain(words);
		expect(facts.code).toBe(words.includes('10111') ? 10111 : undefined);
	});
});
