import { openBeside, type Setup } from '../../setup';
import { CANDIDATES, latenessFigures } from './lateness';
import { measureLateness, type Measured } from './measureLateness';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

/**
 * What takes minutes, all at the same time, each with a service of its own: long runs, and runs whose
 * callbacks are lost, so that the node has to poll.
 */
export async function minutes(setup: Setup): Promise<void> {
	const [duration, count] = setup.isQuick ? [10 * SECOND, 2] : [10 * MINUTE, 5];
	const lost = setup.isQuick ? [5 * SECOND] : [20 * SECOND, 2 * MINUTE, 5 * MINUTE, duration];
	const each = setup.isQuick ? 2 : 10;
	const [long, withoutCallback] = await Promise.all([
		Promise.all(
			Object.entries(CANDIDATES).map(async ([name, workflow]) => {
				// Not in step with one another, as runs are not.
				const durations = Array.from({ length: count }, (_, index) => duration + index * 1_700);
				return [name, await measureBeside(setup, workflow, { durations })] as const;
			}),
		),
		Promise.all(
			lost.map(async (length) => {
				const durations = Array.from({ length: each }, (_, index) => length + index * 1_700);
				const workflow = CANDIDATES['our callback'];
				const measured = { durations, areCallbacksLost: true };
				return [length, await measureBeside(setup, workflow, measured)] as const;
			}),
		),
	]);

	console.log(`\n${count} runs of ${duration / SECOND} s, from the end to the next node`);
	console.table(Object.fromEntries(long.map(([name, found]) => [name, latenessFigures([found])])));
	console.log(`\nEvery callback lost, ${each} runs each, from the end to the next node`);
	console.table(
		Object.fromEntries(
			withoutCallback.map(([length, found]) => [
				`runs of ${length / SECOND} s`,
				latenessFigures([found]),
			]),
		),
	);
}

async function measureBeside(
	setup: Setup,
	workflow: Parameters<typeof measureLateness>[1],
	measured: Measured,
): ReturnType<typeof measureLateness> {
	const beside = await openBeside(setup);
	try {
		return await measureLateness(beside, workflow, measured);
	} finally {
		await beside.close();
	}
}
