import { inTurn, ratios, shown, spreadOf } from '../../rounds';
import type { Setup } from '../../setup';
import { measureLateness, type Lateness } from './measureLateness';
import { ownLoop, ownWait, ourWait } from './workflows';

/** How workflows wait for a run, by what is put beside what. */
export const CANDIDATES = {
	'our callback': (setup: Setup, path: string) => ourWait(setup, path, 'automatic'),
	'our polling': (setup: Setup, path: string) => ourWait(setup, path, 'poll'),
	'Wait node, HTTP Request': ownWait,
	'HTTP Request, If, Wait 5 s': ownLoop,
};

/**
 * How late workflows go on after the end of a run: by callback, by our polling, by n8n's own Wait node
 * that the service calls, and by a loop of n8n's own nodes.
 */
export async function lateness(setup: Setup): Promise<void> {
	const [count, rounds] = setup.isQuick ? [4, 1] : [20, 3];
	const durations = Array.from({ length: count }, (_, index) => 6_000 + index * 550);
	const measures = await inTurn(
		rounds,
		Object.fromEntries(
			Object.entries(CANDIDATES).map(([name, workflow]) => [
				name,
				async () => await measureLateness(setup, workflow, { durations }),
			]),
		),
	);
	const last = 6 + (count - 1) * 0.55;
	console.log(
		`\nFrom the end of a run to the next node, ${rounds} rounds of ${count} runs of 6 to ${last.toFixed(0)} s`,
	);
	const medians = (name: string): number[] =>
		(measures[name] ?? []).map(({ late }) => spreadOf(late).median);
	const beside = (name: string, other: string): string =>
		shown(spreadOf(ratios(medians(name), medians(other))), 2);
	console.table(
		Object.fromEntries(
			Object.entries(measures).map(([name, found]) => [
				name,
				{
					...latenessFigures(found),
					'beside the Wait node': beside(name, 'Wait node, HTTP Request'),
					'beside the loop': beside(name, 'HTTP Request, If, Wait 5 s'),
				},
			]),
		),
	);
}

/** Lateness in seconds and requests a run, of all rounds. */
export function latenessFigures(found: Lateness[]): Record<string, string> {
	const late = spreadOf(found.flatMap((measure) => measure.late));
	return {
		'median s': (late.median / 1_000).toFixed(3),
		'most s': (late.max / 1_000).toFixed(3),
		'requests a run': shown(spreadOf(found.map(({ requests }) => requests)), 1),
	};
}
