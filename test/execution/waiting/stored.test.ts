import { stringify } from 'flatted';

import { keywords, scrape, useScene } from './scene';
import { until } from '../../timeLapse';

const scene = useScene();

it('what n8n stores of a sleeping execution holds each input item once, each run ID once beside the list by which n8n finds executions, and one secret for all callbacks', async () => {
	const words = Array.from({ length: 10 }, (_, index) => `keyword-${1_000 + index}`);
	const parameters = scrape({ output: 'raw' });
	const asleep = await scene.run({ items: keywords(...words), parameters });
	await scene.started(words.length);
	const stored = await until(() => {
		const { status, data } = scene.harness.stored(asleep);
		const text = stringify(data);
		return status === 'waiting' && !text.includes('"request":') && text;
	}, 'the sleep after the last start to be stored');
	const values: unknown[] = JSON.parse(stored);
	const texts = values.filter((value) => typeof value === 'string');
	const runs = await scene.runs();
	const nonces = runs.map(({ callbackUrl = null }) =>
		new URL(callbackUrl ?? '').searchParams.get('nonce'),
	);

	expect(values.filter((value) => Object.hasOwn(Object(value), 'keyword'))).toHaveLength(10);
	for (const { taskId } of runs) {
		expect(texts.filter((text) => text === taskId)).toHaveLength(1);
		expect(texts.filter((text) => text.includes(taskId)).length).toBeLessThanOrEqual(2);
	}
	expect(new Set(nonces).size).toBe(10);
	for (const nonce of nonces) expect(stored).not.toContain(nonce);
});
