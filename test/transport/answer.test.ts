import { getEventListeners } from 'node:events';
import { Readable } from 'node:stream';

import { isByteStream, readBody } from '../../nodes/BrowserAutomation/transport/answer';

it.each([
	['a stream', Readable.from([]), true],
	['bytes', Buffer.alloc(1), false],
	['nothing', null, false],
	['what only has a pipe', { pipe: () => undefined }, false],
	['what has a pipe that is none', { pipe: true, [Symbol.asyncIterator]: true }, false],
	['a text', 'text', false],
])('%s can be read as a stream of bytes: %p', (_, value, expected) => {
	expect(isByteStream(value)).toBe(expected);
});

it.each([
	['when it was read', 10],
	['when it was too large', 1],
])('a body is let go of %s: the signal holds it no more', async (_, maxBytes) => {
	const { signal } = new AbortController();
	await readBody(Readable.from([Buffer.from('body')]), maxBytes, signal).catch(() => undefined);
	expect(getEventListeners(signal, 'abort')).toEqual([]);
});
