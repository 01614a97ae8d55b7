import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';

import { InputError, ServiceError } from '../../nodes/BrowserAutomation/service/errors';
import { callbackObstacle } from '../../nodes/BrowserAutomation/service/events/callback';
import { isOwnAddress } from '../../nodes/BrowserAutomation/service/files/fileLink';
import { mimeTypeOf, sanitizeFileName } from '../../nodes/BrowserAutomation/service/files/fileName';
import { createClient } from '../../nodes/BrowserAutomation/service/http/client';
import { toBaseUrl } from '../../nodes/BrowserAutomation/service/http/credential';
import {
	nameInDisposition,
	parseContentRange,
	retryAfterOf,
} from '../../nodes/BrowserAutomation/service/http/httpHeaders';
import { addressObstacle } from '../../nodes/BrowserAutomation/service/http/networkAddress';
import { toPage } from '../../nodes/BrowserAutomation/service/http/pages';
import { isJsonObject, parseJson } from '../../nodes/BrowserAutomation/service/json/json';
import { JsonReader } from '../../nodes/BrowserAutomation/service/json/jsonStream';
import { presentRun } from '../../nodes/BrowserAutomation/service/runs/runOutput';
import { fuzz, must, textOf, unlessRefused, words } from './fuzz';

/** What the service answers, or whoever answers in its place. */

const MEMBERS = words('code msg message data ts time traceId error detail');
const RUN_MEMBERS = words('task_id id status output output_files download_files items');

const scalar = fc.oneof(
	fc.constantFrom(0, 1, -1, 401, 10112, 10118, null, true, ...words('0 10118 finished  [ {}')),
	fc.string({ maxLength: 12 }),
);
const { value } = fc.letrec((tie) => ({
	value: fc.oneof(
		{ maxDepth: 5, depthIdentifier: 'value' },
		scalar,
		fc.array(tie('value'), { maxLength: 4 }),
		fc.dictionary(fc.constantFrom(...MEMBERS, ...RUN_MEMBERS, '__proto__'), tie('value')),
	),
}));
const envelope = fc.record(Object.fromEntries(MEMBERS.map((name) => [name, value])), {
	requiredKeys: [],
});
const broken = textOf([...words('{"code": 10118 0 ,"msg":" " } { [ <html> a null'), ' ', '\n']);
const long = fc
	.tuple(value, fc.integer({ min: 1, max: 2_000 }))
	.map(([data, times]) => ({ code: 0, msg: 'x', data: Array(times).fill(data) }));
const DATE = 'Wed, 21 Oct 2026 07:28:00 GMT';

fuzz(
	'an answer, whatever its status',
	fc.record({
		status: fc.constantFrom(
			...[200, 201, 204, 301, 400, 401, 403, 404, 409, 429, 500, 503, 0, 999],
		),
		// Longer answers take their time in proportion.
		body: fc
			.oneof(
				...[envelope, value, long].map((some) => some.map((one) => JSON.stringify(one))),
				broken,
			)
			.filter((text) => text.length <= 200_000),
		retryAfter: fc.option(textOf([...words('0 9 - . e'), DATE], 50), { nil: undefined }),
	}),
	async ({ status, body, retryAfter }) => {
		const bytes = Buffer.from(body);
		const client = createClient({
			...{ baseUrl: 'https://service.example', secret: '' },
			request: async () => ({ status, headers: { 'retry-after': retryAfter }, bytes }),
			pause: async (milliseconds) => {
				must(milliseconds >= 0 && milliseconds <= 120_000, 'a pause is of two minutes at most');
			},
		});
		try {
			const payload = await client.send({ method: 'GET', path: '/v3/bots' });
			must(status >= 200 && status < 300, 'only a success gives a payload');
			toPage(payload);
			if (!isJsonObject(payload)) return;
			for (const output of ['simplified', 'rows', 'raw'] as const) presentRun(payload, { output });
		} catch (error) {
			if (!(error instanceof ServiceError)) throw error;
			must(error.message.length < 2_000, 'an error is reported in few words');
			must(error.advice !== '', 'an error says what to do');
		}
	},
);

/** Node takes headers of 16 KB in all. */
const header = (...parts: string[]) => textOf(parts).map((text) => text.slice(0, 16_384));

fuzz(
	'the headers with which a file comes, and its name as the run tells it',
	fc.record({
		disposition: header(
			...words('attachment inline ; = " \\ \\" filename * \' %e2%82%ac % %zz a.pdf / .. Ã©'),
			...[' ', '; filename="', "; filename*=UTF-8''", '\t', '\u0000'],
		),
		range: header(...words('bytes 0 9 - / * 1e9 .'), ' ', 'bytes 0-9/10', 'bytes 5-9/*'),
		retryAfter: header(...words('0 1 9 - . e Infinity'), ' ', DATE),
		type: header(...words('text / csv ; charset = utf-8 " application/json'), ' '),
		name: textOf([...words('a . .. / \\ CON nul .txt é 🚀 \u202e \u0000 : ?'), ' '], 100_000),
	}),
	({ disposition, range, retryAfter, type, name }) => {
		for (const text of [name, nameInDisposition(disposition) ?? '']) {
			const safe = sanitizeFileName(text);
			if (safe === undefined) continue;
			must(Buffer.byteLength(safe) <= 255, 'a file name is at most 255 bytes long');
			must(!/[\p{Cc}/\\<>:"|?*]/u.test(safe), 'a file name holds no reserved characters');
			must(!/^\.{1,2}$/.test(safe) && !/[. ]$/.test(safe), 'a file name names no folder');
			must(sanitizeFileName(safe) === safe, 'a safe name stays as it is');
			mimeTypeOf(type, safe);
		}
		must((parseContentRange(range)?.start ?? 0) >= 0, 'a part of a file begins within it');
		const pause = retryAfterOf({ 'retry-after': retryAfter });
		must(pause === undefined || pause >= 0, 'a pause is never negative');
	},
);

const almostJson = textOf([
	...words('{ } [ ] , : " \\ \\" \\u00e9 {"a": ": [[ [{ 1 - 0 .5 e9 1e999 12345678901234567'),
	...[...words('true null nul "a" "__proto__":'), ' ', '\n'],
]);

fuzz(
	'JSON that comes in pieces is read like a whole text',
	fc.tuple(
		fc.oneof(fc.json({ maxDepth: 6 }), almostJson),
		fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 8 }),
	),
	([text, lengths]) => {
		const whole = unlessRefused(() => parseJson(text), SyntaxError);
		const streamed = unlessRefused(() => {
			const reader = new JsonReader();
			for (let at = 0, turn = 0; at < text.length; turn++) {
				const length = lengths[turn % lengths.length] ?? 1;
				reader.write(text.slice(at, at + length));
				at += length;
			}
			return reader.end();
		}, SyntaxError);
		must(isDeepStrictEqual(streamed, whole), 'a stream is read like a whole text');
	},
);

/** An address with much of the same in its host or its path, and something else behind that. */
const longUrl = fc
	.tuple(
		fc.constantFrom(...words('https://example.com/ https://example http://127.0.0.1/gateway')),
		fc.tuple(
			fc.constantFrom('/', '.', '%2e', '\\', ':', '@', ' '),
			fc.integer({ min: 1, max: 50_000 }),
		),
		fc.constantFrom('', 'x', '/', '.com/x'),
	)
	.map(([begin, [part, times], end]) => begin + part.repeat(times) + end);

const url = fc.oneof(
	longUrl,
	fc.webUrl({ withQueryParameters: true, withFragments: true }),
	textOf([
		...words(
			'http:// https:// https: ftp:// javascript: // / \\ ? # @ : user:password@ example.com',
		),
		...words(
			'EXAMPLE.com. localhost 127.0.0.1 0x7f.1 [::1] [::ffff:7f00:1] .. %2e%2e %2f /gateway',
		),
		...[...words('/v3 . é 🚀'), ' ', '\t', '\n'],
	]),
);
const PATH = '/v3/bots';

fuzz('a base URL, and a link that the service gives', fc.tuple(url, url), ([text, link]) => {
	const base = unlessRefused(() => toBaseUrl(text), InputError);
	if (base === undefined) return;
	const address = new URL(base + PATH);
	must(['http:', 'https:'].includes(address.protocol), 'requests are sent by HTTP');
	must(address.pathname.endsWith(PATH), 'the path of a request stands at the end of the address');
	must(address.href === base + PATH, 'an address is sent as it is written');
	must(address.username + address.password === '', 'an address holds no password');
	must(toBaseUrl(base) === base, 'a base URL is one as well when it is read again');
	callbackObstacle(link, base);
	if (addressObstacle(link, base) !== undefined) return;
	const isOwn = isOwnAddress(link, base);
	must(!isOwn || new URL(link).origin === address.origin, 'the key stays with the service');
});
