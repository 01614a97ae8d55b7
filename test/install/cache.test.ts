import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fillOnce } from '../../dev/n8n/cache';

describe('filling a cache folder', () => {
	let parent: string;
	let folder: string;

	beforeEach(() => {
		parent = mkdtempSync(path.join(tmpdir(), 'cache-test-'));
		folder = path.join(parent, 'server');
	});

	afterEach(() => rmSync(parent, { recursive: true }));

	async function write(text: string): Promise<void> {
		await fillOnce(folder, async (staging) => writeFileSync(path.join(staging, 'file'), text));
	}

	const content = () => readFileSync(path.join(folder, 'file'), 'utf8');

	it('happens once', async () => {
		await write('first');
		await write('second');
		expect(content()).toBe('first');
	});

	it('leaves nothing behind when it fails, and can be repeated', async () => {
		const failing = fillOnce(folder, async (staging) => {
			writeFileSync(path.join(staging, 'half'), '');
			throw new Error('connection lost');
		});
		await expect(failing).rejects.toThrow('connection lost');
		expect(existsSync(folder)).toBe(false);

		await write('whole');
		expect(content()).toBe('whole');
	});

	it('throws away what a killed attempt left', async () => {
		mkdirSync(`${folder}.partial`);
		writeFileSync(path.join(`${folder}.partial`, 'broken'), '');

		await write('whole');
		expect(existsSync(path.join(folder, 'broken'))).toBe(false);
		expect(content()).toBe('whole');
	});

	it('is done by one of two, while the other waits', async () => {
		const order: string[] = [];
		let second = Promise.resolve();
		await fillOnce(folder, async (staging) => {
			order.push('first fills');
			await new Promise<void>((secondWaits) => {
				second = fillOnce(
					folder,
					async () => void order.push('second fills'),
					() => {
						order.push('second waits');
						secondWaits();
					},
				);
			});
			writeFileSync(path.join(staging, 'file'), 'first');
		});
		await second;
		expect(order).toEqual(['first fills', 'second waits']);
		expect(content()).toBe('first');
	});
});
