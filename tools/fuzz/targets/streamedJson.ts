import fc from 'fast-check';
import { isDeepStrictEqual } from 'node:util';

import { parseJson, type JsonValue } from '../../../nodes/BrowserAutomation/service/json/json';
import { JsonReader } from '../../../nodes/BrowserAutomation/service/json/jsonStream';
import { must, type Target } from '../target';
import { textOf } from './texts';

const almostJson = textOf([
	...[
		'{',
		'}',
		'[',
		']',
		',',
		':',
		'"',
		'\\',
		'\\"',
		'\\u00e9',
		' ',
		'\n',
		'{"a":',
		'":',
		'[[',
		'[{',
	],
	...[
		'1',
		'-',
		'0',
		'.5',
		'e9',
		'1e999',
		'12345678901234567',
		'true',
		'null',
		'nul',
		'"a"',
		'"__proto__":',
	],
]);

/** A text, and the lengths of the pieces in which it comes. */
export const streamedJson: Target<[text: string, lengths: number[]]> = {
	name: 'streamed JSON',
	inputs: fc.tuple(
		fc.oneof(fc.json({ maxDepth: 6 }), almostJson),
		fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 8 }),
	),
	tryInput: ([text, lengths]) => {
		const whole = attempt(() => parseJson(text));
		const streamed = attempt(() => {
			const reader = new JsonReader();
			for (let at = 0, turn = 0; at < text.length; turn++) {
				const length = lengths[turn % lengths.length] ?? 1;
				reader.write(text.slice(at, at + length));
				at += length;
			}
			return reader.end();
		});
		must(isDeepStrictEqual(streamed, whole), 'a stream is read like a whole text');
	},
};

function attempt(read: () => JsonValue): JsonValue | undefined {
	try {
		return read();
	} catch (error) {
		if (error instanceof SyntaxError) return undefined;
		throw error;
	}
}
