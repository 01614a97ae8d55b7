import { ServiceError } from '../../../nodes/BrowserAutomation/service/errors';
import {
	keepingSecret,
	redact,
	redactJson,
} from '../../../nodes/BrowserAutomation/service/http/redaction';

const SECRET = 'app-1/ä"7';

describe('a secret', () => {
	it.each([
		['as it is', `key ${SECRET}, again ${SECRET}`, 'key (hidden), again (hidden)'],
		['in percent codes', `?key=${encodeURIComponent(SECRET)}&a=1`, '?key=(hidden)&a=1'],
		['in JSON', JSON.stringify({ key: SECRET }), '{"key":"(hidden)"}'],
		[
			'where a text was cut',
			`key ${SECRET.slice(0, 6)}… of ${SECRET.slice(0, 8)}`,
			'key (hidden)… of (hidden)',
		],
		['not by a few letters', `key ${SECRET.slice(0, 5)}`, `key ${SECRET.slice(0, 5)}`],
		['not by its end', `key ${SECRET.slice(1)}`, `key ${SECRET.slice(1)}`],
		['not inside of a text', `key ${SECRET.slice(0, 6)} of`, `key ${SECRET.slice(0, 6)} of`],
	])('is hidden %s', (_, text, expected) => {
		expect(redact(text, [SECRET])).toBe(expected);
	});

	it('is hidden beside others; an empty one hides nothing', () => {
		expect(redact('a secret-1 b secret-2 c', ['secret-1', '', 'secret-2'])).toBe(
			'a (hidden) b (hidden) c',
		);
	});

	it('of half a character is hidden all the same', () => {
		expect(redact('key \ud800abc', ['\ud800abc'])).toBe('key (hidden)');
	});

	it('is hidden in names and values of JSON, however deep', () => {
		const value = { [SECRET]: [{ a: `x${SECRET}` }, 7, null, true] };
		expect(redactJson(value, [SECRET])).toEqual({
			'(hidden)': [{ a: 'x(hidden)' }, 7, null, true],
		});
	});
});

describe('a client that keeps a secret', () => {
	const failing = (error: unknown) => ({
		baseUrl: 'https://service.test',
		send: async () => {
			throw error;
		},
	});
	const request = { method: 'GET', path: '/' } as const;
	const error = new ServiceError(`no ${SECRET}`, `not ${SECRET}`, {
		code: 7,
		msg: `bad ${SECRET}`,
		traceId: `t-${SECRET}`,
		httpStatus: 400,
	});

	it('hides it in all that an error says, and keeps the rest', async () => {
		await expect(keepingSecret(failing(error), SECRET).send(request)).rejects.toMatchObject({
			message: 'no (hidden)',
			advice: 'not (hidden)',
			facts: { code: 7, msg: 'bad (hidden)', traceId: 't-(hidden)', httpStatus: 400 },
		});
		const short = new ServiceError('no', 'not', { code: 7 });
		await expect(keepingSecret(failing(short), SECRET).send(request)).rejects.toMatchObject({
			facts: { code: 7, msg: undefined, traceId: undefined },
		});
	});

	it('leaves other errors alone, and all of them where there is no secret', async () => {
		const bug = new Error(`a bug ${SECRET}`);
		await expect(keepingSecret(failing(bug), SECRET).send(request)).rejects.toBe(bug);
		await expect(keepingSecret(failing(error), '').send(request)).rejects.toBe(error);
	});

	it('gives answers as they are', async () => {
		const client = { baseUrl: 'https://service.test', send: async () => SECRET };
		const keeping = keepingSecret(client, SECRET);
		expect(await keeping.send(request)).toBe(SECRET);
		expect(keeping.baseUrl).toBe('https://service.test');
	});
});
