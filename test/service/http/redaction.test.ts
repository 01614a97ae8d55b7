import { ServiceError } from '../../../nodes/BrowserAutomation/service/errors';
import {
	redact,
	redactJson,
	withoutSecret,
} from '../../../nodes/BrowserAutomation/service/http/redaction';

const SECRET = 'app-1/ä"7';

describe('a secret', () => {
	it.each([
		['as it is', `key ${SECRET}, again ${SECRET}`, 'key (hidden), again (hidden)'],
		['in percent codes', `?key=${encodeURIComponent(SECRET)}&a=1`, '?key=(hidden)&a=1'],
		['in JSON', JSON.stringify({ key: SECRET }), '{"key":"(hidden)"}'],
		['where a text was cut', `no ${SECRET.slice(0, 6)}… of`, 'no (hidden)… of'],
		['at the end of a text that was cut', `no ${SECRET.slice(0, 8)}`, 'no (hidden)'],
		['not by a few letters', `key ${SECRET.slice(0, 5)}`, `key ${SECRET.slice(0, 5)}`],
		['not by its end', `key ${SECRET.slice(1)}`, `key ${SECRET.slice(1)}`],
		['not inside of a text', `key ${SECRET.slice(0, 6)} of`, `key ${SECRET.slice(0, 6)} of`],
	])('is hidden %s', (_, text, expected) => {
		expect(redact(text, [SECRET])).toBe(expected);
	});

	it('is hidden beside others; an empty one hides nothing', () => {
		const text = redact('a secret-1 b secret-2 c', ['secret-1', '', 'secret-2']);
		expect(text).toBe('a (hidden) b (hidden) c');
	});

	it('of half a character is hidden all the same', () => {
		expect(redact('key \ud800abc', ['\ud800abc'])).toBe('key (hidden)');
	});

	it('is hidden in names and values of JSON, however deep', () => {
		const value = { [SECRET]: [{ a: `x${SECRET}` }, 7, null, true] };
		const hidden = { '(hidden)': [{ a: 'x(hidden)' }, 7, null, true] };
		expect(redactJson(value, [SECRET])).toEqual(hidden);
	});
});

describe('an error of the service', () => {
	const error = new ServiceError(`no ${SECRET}`, `not ${SECRET}`, {
		code: 7,
		msg: `bad ${SECRET}`,
		traceId: `t-${SECRET}`,
		httpStatus: 400,
	});

	it('hides it in all that it says, and keeps the rest', () => {
		expect(withoutSecret(error, SECRET)).toMatchObject({
			message: 'no (hidden)',
			advice: 'not (hidden)',
			facts: { code: 7, msg: 'bad (hidden)', traceId: 't-(hidden)', httpStatus: 400 },
		});
		const facts = { code: 7, msg: undefined, traceId: undefined };
		const short = new ServiceError('no', 'not', { code: 7 });
		expect(withoutSecret(short, SECRET)).toMatchObject({ facts });
	});

	it('stays as it is where there is no secret, and so does any other error', () => {
		const bug = new Error(`a bug ${SECRET}`);
		expect(withoutSecret(bug, SECRET)).toBe(bug);
		expect(withoutSecret(error, '')).toBe(error);
	});
});
