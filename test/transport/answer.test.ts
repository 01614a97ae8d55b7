import { Readable } from 'node:stream';

import { isByteStream, readRemark } from '../../nodes/BrowserAutomation/transport/answer';

const bodyOf = (...chunks: unknown[]) => Readable.from(chunks);

describe('the remark of a server that gives no file', () => {
	it('is its text, also where a character comes in two parts', async () => {
		const [first, second] = [Buffer.from([0xc3]), Buffer.from([0xa4, 0x21])];
		expect(await readRemark(bodyOf(first, second))).toBe('ä!');
	});

	it('is not read to its end where it is long', async () => {
		let asked = 0;
		const endless = Readable.from(
			(function* () {
				for (;;) {
					asked++;
					yield Buffer.alloc(4_096, 'x');
				}
			})(),
		);
		expect((await readRemark(endless)).length).toBe(5 * 4_096);
		expect(endless.destroyed).toBe(true);
		expect(asked).toBeLessThan(100);
	});

	it('is nothing where the connection breaks, or gives no bytes', async () => {
		const broken = Readable.from(
			(function* () {
				yield Buffer.from('a');
				throw new Error('aborted');
			})(),
		);
		expect(await readRemark(broken)).toBe('');
		expect(await readRemark(bodyOf('text', 7))).toBe('');
	});
});

it.each([
	['a stream', bodyOf(), true],
	['bytes', Buffer.alloc(1), false],
	['nothing', null, false],
	['what only has a pipe', { pipe: () => undefined }, false],
	['what has a pipe that is none', { pipe: true, [Symbol.asyncIterator]: true }, false],
	['a text', 'text', false],
])('%s can be read as a stream of bytes: %p', (_, value, expected) => {
	expect(isByteStream(value)).toBe(expected);
});
