import fc, { type Arbitrary } from 'fast-check';

import {
	mimeTypeOf,
	sanitizeFileName,
} from '../../../nodes/BrowserAutomation/service/files/fileName';
import {
	nameInDisposition,
	parseContentRange,
	parseRetryAfter,
} from '../../../nodes/BrowserAutomation/service/http/httpHeaders';
import { must, type Target } from '../target';
import { textOf } from './texts';

/** Node takes headers of 16 KB in all. */
const HEADERS_MAX_LENGTH = 16_384;

interface Headers {
	disposition: string;
	range: string;
	retryAfter: string;
	type: string;
	/** What the run calls the file, of any length. */
	name: string;
}

function header(...parts: string[]): Arbitrary<string> {
	return textOf(parts).map((text) => text.slice(0, HEADERS_MAX_LENGTH));
}

/** The headers with which a file comes, and its name as the run tells it. */
export const fileHeaders: Target<Headers> = {
	name: 'file headers',
	inputs: fc.record({
		disposition: header(
			...['attachment', 'inline', ';', ' ', '=', '"', '\\', '\\"', 'filename', '; filename="', '*'],
			...[
				"; filename*=UTF-8''",
				"'",
				'%e2%82%ac',
				'%',
				'%zz',
				'a.pdf',
				'/',
				'..',
				'\t',
				'Ã©',
				'\u0000',
			],
		),
		range: header('bytes', ' ', '0', '9', '-', '/', '*', 'bytes 0-9/10', 'bytes 5-9/*', '1e9', '.'),
		retryAfter: header(
			'0',
			'1',
			'9',
			'-',
			'.',
			'e',
			' ',
			'Wed, 21 Oct 2026 07:28:00 GMT',
			'Infinity',
		),
		type: header('text', '/', 'csv', ';', 'charset', '=', 'utf-8', '"', ' ', 'application/json'),
		name: textOf(
			[
				'a',
				'.',
				' ',
				'..',
				'/',
				'\\',
				'CON',
				'nul',
				'.txt',
				'é',
				'🚀',
				'\u202e',
				'\u0000',
				':',
				'?',
			],
			100_000,
		),
	}),
	tryInput: ({ disposition, range, retryAfter, type, name }) => {
		for (const text of [name, nameInDisposition(disposition) ?? '']) {
			const safe = sanitizeFileName(text);
			if (safe === undefined) continue;
			must(Buffer.byteLength(safe) <= 255, 'a file name is at most 255 bytes long');
			must(!/[\p{Cc}/\\<>:"|?*]/u.test(safe), 'a file name holds no reserved characters');
			must(!/^\.{1,2}$/.test(safe) && !/[. ]$/.test(safe), 'a file name names no folder');
			must(sanitizeFileName(safe) === safe, 'a safe name stays as it is');
			mimeTypeOf(type, safe);
		}
		const found = parseContentRange(range);
		must((found?.start ?? 0) >= 0, 'a part of a file begins within it');
		const pause = parseRetryAfter(retryAfter, Date.now());
		must(pause === undefined || pause >= 0, 'a pause is never negative');
	},
};
