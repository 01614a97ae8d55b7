import { readEnvelope, readRefusal, refusal } from '../../nodes/BrowserAutomation/service/envelope';

const envelope = readEnvelope({
	code: 10020,
	msg: 'version 3 is a draft',
	data: null,
	ts: 1,
	traceId: 'trace-7',
});

describe('a refusal', () => {
	it('says what happened with the service’s own words and code, and what to do', () => {
		const error = refusal(400, envelope);
		expect(error.message).toBe('The bot is not published: version 3 is a draft (code 10020)');
		expect(error.advice).toContain('Publish the bot');
		expect(error.advice).toContain('Trace ID: trace-7');
		expect(error.facts).toMatchObject({ code: 10020, traceId: 'trace-7', httpStatus: 400 });
	});

	it.each([
		[10020, 'bot is not published', 'The bot is not published'],
		[
			10021,
			'the model configuration of the agent is incomplete',
			'The agent bot’s model configuration is incomplete',
		],
		[10112, 'task does not exist', 'The run does not exist'],
		[10121, 'task is already completed', 'The run has already ended'],
		[10142, 'required input is missing: keyword', 'Required input is missing: keyword'],
		[10013, 'proxy region does not exist: XX', 'Proxy region does not exist: XX'],
		[
			10118,
			'the plan allows 3 at a time',
			'The plan’s limit of running tasks is reached: the plan allows 3 at a time',
		],
	])('%i with the words "%s" says it once', (code, msg, expected) => {
		const { message, facts } = refusal(400, readEnvelope({ code, msg, data: null }));
		expect(message).toBe(`${expected} (code ${code})`);
		expect(facts.msg).toBe(msg);
	});

	it('asks for a trace ID only where there is one', () => {
		const fault = { code: 500, msg: 'internal error', data: null };
		const { advice } = refusal(500, readEnvelope({ ...fault, traceId: 't-9' }));
		expect(advice).toBe('Try again later. If it stays, tell the service’s support. Trace ID: t-9.');
		expect(refusal(500, readEnvelope(fault)).advice).not.toMatch(/trace/i);
		expect(refusal(502, undefined).advice).not.toMatch(/trace/i);
	});

	it('to slow down says nothing of Concurrency, which one request alone has not got', () => {
		expect(refusal(429, undefined).advice).toBe('Try again in a minute.');
	});

	it('of the template is the same under both of its codes', () => {
		const [first, second] = [10110, 10176].map(
			(code) => refusal(400, readEnvelope({ code, msg: 'gone', data: null })).message,
		);
		expect(first?.replace('10110', '10176')).toBe(second);
	});

	it.each([
		[401, 'API key'],
		[404, 'address'],
		[429, 'slow down'],
		[503, 'fault'],
		[400, 'refused'],
	])('without an envelope is explained by HTTP %i', (status, word) => {
		expect(refusal(status, undefined).message).toContain(word);
		expect(refusal(status, undefined).message).toContain(`HTTP ${status}`);
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
	it.each([
		['{"code":"10111","msg":"no bot","traceId":"t-1"}', 10111, 'no bot (code 10111)'],
		['{"msg":{"field":"input","reason":"too long"}}', undefined, '"reason":"too long"'],
		['{"error":"invalid_request","detail":"limit is 100"}', undefined, ': limit is 100 (HTTP 400)'],
		['"limit is 100"', undefined, ': limit is 100 (HTTP 400)'],
		['limit is 100\n', undefined, ': limit is 100 (HTTP 400)'],
		['{"code":null,"msg":" "}', undefined, 'The service refused the request (HTTP 400)'],
		['limit < 100', undefined, ': limit < 100 (HTTP 400)'],
		['\n <html>Bad Gateway</html>', undefined, 'The service refused the request (HTTP 400)'],
		['<html>Bad Gateway</html>', undefined, 'The service refused the request (HTTP 400)'],
		['', undefined, 'The service refused the request (HTTP 400)'],
	])('keeps its words: %s', (text, code, words) => {
		const error = refusal(400, readRefusal(text));
		expect(error.message).toContain(words);
		expect(error.facts.code).toBe(code);
	});

	it('is cut where it is as long as a page', () => {
		expect(refusal(400, readRefusal('word '.repeat(9_000))).message.length).toBeLessThan(600);
	});
});
