import { getEventListeners } from 'node:events';
import { Readable } from 'node:stream';

import {
	isByteStream,
	readBody,
	readFullAnswer,
} from '../../nodes/BrowserAutomation/transport/answer';

it.each([
	['a stream', Readable.from([]), true],
	['nothing', null, false],
	['what only has a pipe', { pipe: () => undefined }, false],
	['what has a pipe that is none', { pipe: true, [Symbol.asyncIterator]: true }, false],
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

it('a body of as many bytes as there may be is read; what is no stream has none', async () => {
	const { signal } = new AbortController();
	expect(String(await readBody(Readable.from([Buffer.from('body')]), 4, signal))).toBe('body');
	await expect(readBody(Readable.from([Buffer.from('body')]), 3, signal)).rejects.toThrow('larger');
	expect(await readBody('body', 4, signal)).toEqual(Buffer.alloc(0));
});

it('a body is read no further once the signal is raised', async () => {
	const controller = new AbortController();
	const body = new Readable({ read: () => undefined });
	const reading = readBody(body, 4, controller.signal).catch(() => 'ended');
	controller.abort();
	expect(await reading).toBe('ended');
	expect(body.destroyed).toBe(true);
});

it('a stream that fails before anybody reads it ends nothing else', () => {
	const body = new Readable({ read: () => undefined });
	expect(readFullAnswer({ statusCode: 200, headers: { etag: 7 }, body })).toEqual({
		status: 200,
		headers: { etag: '7' },
		body,
	});
	expect(body.emit('error', new Error('the connection broke'))).toBe(true);
	expect(readFullAnswer({ statusCode: 204, headers: {}, body: 'text' }).body).toBe('text');
});
