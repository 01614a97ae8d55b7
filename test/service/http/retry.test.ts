import {
	NO_PERMISSION,
	NOT_AUTHORIZED,
} from '../../../nodes/BrowserAutomation/service/http/errorCodes';
import { ConnectionError, ServiceError } from '../../../nodes/BrowserAutomation/service/errors';
import {
	isAccessRefusal,
	isOfGateway,
	isTransient,
	pauseBeforeRetry,
} from '../../../nodes/BrowserAutomation/service/http/retry';

const withStatus = (httpStatus: number) => new ServiceError('what', 'advice', { httpStatus });

it.each([
	[new ConnectionError('the connection broke', true), true],
	...[408, 425, 429, 500, 503].map((status): [Error, boolean] => [withStatus(status), true]),
	...[400, 401, 499].map((status): [Error, boolean] => [withStatus(status), false]),
	[new ServiceError('The answer is not JSON', ''), true],
	[new ServiceError('too large', '', { isLasting: true }), false],
	[new Error('a bug'), false],
])('reading again may help after %s: %s', (error, helps) => {
	expect(isTransient(error)).toBe(helps);
});

const coded = (code: number, httpStatus = 200) =>
	new ServiceError('what', 'advice', { httpStatus, code });

it.each([
	['a key that is unknown', withStatus(401), true],
	['a refusal with 403 and a code', coded(1, 403), true],
	['a gateway’s 403, which may pass', withStatus(403), false],
	['the code of a key that is unknown', coded(NOT_AUTHORIZED), true],
	['the code of a key that may not', coded(NO_PERMISSION), true],
	['another code', coded(1), false],
	['another refusal', withStatus(404), false],
	['an answer that says nothing', new ServiceError('what', 'advice'), false],
	['a bug', new Error('a bug'), false],
])('a person has to change something after %s: %p', (_, error, expected) => {
	expect(isAccessRefusal(error)).toBe(expected);
});

it.each([
	['302', withStatus(302), true],
	['403', withStatus(403), true],
	['what the service itself says', coded(1, 404), false],
	['an answer about something else', withStatus(200), false],
	['one that is too large', new ServiceError('', '', { httpStatus: 404, isLasting: true }), false],
	['a broken connection', new ConnectionError('broke', true), false],
])('is taken for a gateway’s answer: %s', (_, error, expected) => {
	expect(isOfGateway(error)).toBe(expected);
});

describe('the pause before reading again', () => {
	it('doubles, with jitter', () => {
		const random = jest.spyOn(Math, 'random').mockReturnValue(1);
		const pauses = [1, 2, 3, 20].map((tries) => pauseBeforeRetry(tries, undefined));
		expect(pauses).toEqual([500, 1000, 2000, 30_000]);
		random.mockReturnValue(0);
		expect(pauseBeforeRetry(1, undefined)).toBe(250);
		random.mockRestore();
	});

	it.each([
		['no time at all', 0, 250],
		['7 seconds', 7_000, 7_000],
		['an hour', 3_600_000, 120_000],
	])('where the service asked for %s is kept within bounds', (_, asked, expected) => {
		expect(pauseBeforeRetry(1, asked)).toBe(expected);
	});
});
