import { ConnectionError, ServiceError } from '../../nodes/BrowserAutomation/service/errors';
import {
	isTransient,
	parseRetryAfter,
	pauseBeforeRetry,
} from '../../nodes/BrowserAutomation/service/retry';

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
		const error = withStatus(500);
		expect([1, 2, 3].map((tries) => pauseBeforeRetry(tries, error, 1))).toEqual([500, 1000, 2000]);
		expect(pauseBeforeRetry(1, error, 0)).toBe(250);
		expect(pauseBeforeRetry(20, error, 1)).toBe(30_000);
	});

	it('is what the service asked for, up to two minutes', () => {
		const asked = (retryAfterMs: number) =>
			new ServiceError('', '', { httpStatus: 429, retryAfterMs });
		expect(pauseBeforeRetry(1, asked(7_000), 0)).toBe(7_000);
		expect(pauseBeforeRetry(1, asked(3_600_000), 0)).toBe(120_000);
	});
});

it.each([
	['5', 5_000],
	['0', 0],
	['-3', 0],
	['Thu, 01 Jan 1970 00:01:00 GMT', 50_000],
	['Thu, 01 Jan 1970 00:00:01 GMT', 0],
	['soon', undefined],
	['', undefined],
	[undefined, undefined],
])('Retry-After %j is %j ms', (header, milliseconds) => {
	expect(parseRetryAfter(header, 10_000)).toBe(milliseconds);
});
