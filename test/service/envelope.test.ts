import { readEnvelope, refusal } from '../../nodes/BrowserAutomation/service/envelope';

const envelope = readEnvelope({
	code: 10020,
	msg: 'bot is not published',
	data: null,
	ts: 1,
	traceId: 'trace-7',
});

describe('a refusal', () => {
	it('says what happened with the service’s own words and code, and what to do', () => {
		const error = refusal(400, envelope);
		expect(error.message).toBe('The bot is not published: bot is not published (code 10020)');
		expect(error.advice).toContain('Publish the bot');
		expect(error.advice).toContain('Trace ID: trace-7');
		expect(error.facts).toMatchObject({ code: 10020, traceId: 'trace-7', httpStatus: 400 });
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
		[{ code: 5 }],
		[{ task_id: '1', status: 'created' }],
		[[{ code: 0, msg: 'ok' }]],
		[null],
	])('is not seen in %p', (body) => {
		expect(readEnvelope(body)).toBeUndefined();
	});
});
