import { LEDGER_VERSION } from '../../../nodes/BrowserAutomation/execution/waiting/batch/ledger';
import type { Run } from '../../core/harness';
import { until } from '../../timeLapse';
import { idsOf, keywords, useScene, type TimeLapse } from './scene';

jest.mock('n8n-workflow', () => jest.requireActual<TimeLapse>('../../timeLapse').lapsed());

const scene = useScene();

/** Stores an execution as a version of the package would have whose notes have this form. */
function storeAs(version: number, run: Pick<Run, 'executionId'>): void {
	scene.storeAgain(run, ({ browserAutomationRuns }) => {
		Object.assign(Object(browserAutomationRuns), { version });
	});
}

describe('an execution that sleeps, whose notes another version of the package wrote', () => {
	it('has its callbacks come again, as another process may know that version', async () => {
		storeAs(LEDGER_VERSION + 1, await scene.run({ items: keywords('a') }));
		await scene.finish('a');
		const { response, run } = await until(() => scene.callbacks.at(0), 'a callback');

		expect(response.status).toBe(503);
		expect(run).toBeUndefined();
	});

	it('ends with an error that names its runs and starts nothing, as often as it is retried', async () => {
		const asleep = await scene.run({ items: keywords('a', 'b') });
		await scene.started(2);
		storeAs(LEDGER_VERSION + 1, asleep);
		const failed = await scene.harness.resumeByTimeout(asleep);
		const runs = await scene.idsFor('a', 'b');

		for (const run of [failed, await scene.harness.retry(failed)]) {
			expect(run.status).toBe('error');
			for (const taskId of runs) expect(run.error?.message).toContain(taskId);
		}
		expect(await scene.asked('bot.run')).toBe(2);

		storeAs(LEDGER_VERSION, failed);
		const again = scene.harness.retry(failed);
		await scene.finish('a', 'b');
		expect(idsOf(await scene.endByTimer(await again))).toEqual(runs);
		expect(await scene.asked('bot.run')).toBe(2);
	});
});
