import { randomUUID } from 'node:crypto';

import type { Run } from '../../core/harness';
import { apiCredential } from '../../fixture';
import { holdPauses, until } from '../../timeLapse';
import { keywords, useScene, type TimeLapse } from './scene';

jest.mock('n8n-workflow', () => jest.requireActual<TimeLapse>('../../timeLapse').lapsed());

const scene = useScene();

const pass = async (ms: number) => {
	const from = Date.now();
	await until(() => Date.now() >= from + ms, 'time');
};

it.each([0, 1, 2])(
	'after %i starts that were refused by chance all slots are used',
	async (refusals) => {
		// The line and what is known of the plan are the account's.
		const key = randomUUID();
		await scene.sandbox.setKey({ key, concurrency: 3 });
		const credentials = apiCredential({ url: scene.sandbox.url, key });
		const going = async () => (await scene.runs()).filter(({ finishedAt }) => finishedAt === null);
		const finishOne = async () => {
			const [first] = await going();
			await scene.sandbox.moveRun({ taskId: first?.taskId ?? '', status: 'finished' });
		};
		const words = [...'abcdefghijkl'];
		const asleep: Run[] = [];
		for (const word of words) asleep.push(await scene.run({ items: keywords(word), credentials }));
		expect(await going()).toHaveLength(3);
		await pass(6_000);
		for (let refusal = 0; refusal < refusals; refusal++) {
			const fault = { kind: 'envelopeError', code: 10118, msg: 'Too many', times: 1 } as const;
			await scene.sandbox.addFault({ ...fault, method: 'POST', path: '/runs$' });
			const sent = await scene.asked('bot.run');
			if (refusal === 0) await finishOne();
			await until(async () => (await scene.asked('bot.run')) > sent, 'the refusal');
		}
		const areUsed = async () => (await going()).length === 3;
		await until(areUsed, 'all slots to be used');
		// Without a pause nobody probes: a slot that is lost stays free.
		let isFilled = false;
		holdPauses(() => !isFilled);
		while ((await scene.runs()).length < words.length) {
			await finishOne();
			await until(areUsed, 'the slot to be used');
		}
		isFilled = true;
		while ((await going()).length > 0) await finishOne();
		for (const run of asleep) expect((await scene.end(run)).status).toBe('success');
	},
);
