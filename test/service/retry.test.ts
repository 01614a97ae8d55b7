import { ConnectionError, ServiceError } from '../../nodes/BrowserAutomation/service/errors';
import { isTransient, pauseBeforeRetry } from '../../nodes/BrowserAutomation/service/retry';

const withStatus = (httpStatus: number) => new ServiceError('what', 'advice', { httpStatus });

it.each([
	[new ConnectionError('the connection broke', true), true],
	[withStatus(429), true],
	[withStatus(500), true],
	[withStatus(503), true],
	[new ServiceError('The answer is not JSON', ''), true],
	[withStatus(400), false],
	[withStatus(401), false],
	[new Error('a bug'), false],
])('reading again may help after %s: %s', (error, helps) => {
	expect(isTransient(error)).toBe(helps);
});

describe('the pause before reading again', () => {
	it('doubles, with jitter', () => {
		expect([1, 2, 3].map((tries) => pauseBeforeRetry(tries, undefined, 1))).toEqual([
			500, 1000, 2000,
		]);
		expect(pauseBeforeRetry(1, undefined, 0)).toBe(250);
		expect(pauseBeforeRetry(20, undefined, 1)).toBe(30_000);
	});

	it.each([
		['no time at all', 0, 250],
		['7 seconds', 7_000, 7_000],
		['an hour', 3_600_000, 120_000],
	])('where the service asked for %s is kept within bounds', (_, asked, expected) => {
		expect(pauseBeforeRetry(1, asked, 0)).toBe(expected);
	});
});
