import { stringify } from 'flatted';

import { keywords, scrape, useScene } from './scene';
import { until } from '../../timeLapse';

/** What n8n writes to its database each time that an execution falls asleep. */
describe('what is stored of a sleeping execution', () => {
	const scene = useScene();

	/** The data of an execution that sleeps on so many runs, as text. */
	async function storedFor(count: number): Promise<string> {
		const words = Array.from({ length: count }, (_, index) => `keyword-${1_000 + index}`);
		const parameters = scrape({ output: 'raw' });
		const asleep = await scene.run({ items: keywords(...words), parameters });
		await scene.started(count);
		return await until(() => {
			const { status, data } = scene.harness.stored(asleep);
			const text = stringify(data);
			return status === 'waiting' && !text.includes('"request":') && text;
		}, 'the sleep after the last start to be stored');
	}

	it('holds each input item once, and each run ID once beside the list by which n8n finds executions', async () => {
		const values: unknown[] = JSON.parse(await storedFor(12));
		const inputs = values.filter(
			(value) => typeof value === 'object' && value !== null && 'keyword' in value,
		);
		const texts = values.filter((value) => typeof value === 'string');

		expect(inputs).toHaveLength(12);
		for (const { taskId } of await scene.runs()) {
			expect(texts.filter((text) => text === taskId)).toHaveLength(1);
			expect(texts.filter((text) => text.includes(taskId)).length).toBeLessThanOrEqual(2);
		}
	});

	it('holds one secret for all callbacks, which cannot be compressed, in place of one for each', async () => {
		const text = await storedFor(3);
		const nonces = (await scene.runs()).map(
			({ callbackUrl }) => new URL(callbackUrl ?? '').searchParams.get('nonce') ?? '',
		);

		expect(new Set(nonces).size).toBe(3);
		for (const nonce of nonces) expect(text).not.toContain(nonce);
	});
});
