import { Readable } from 'node:stream';

import { isByteStream } from '../../nodes/BrowserAutomation/transport/answer';

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
