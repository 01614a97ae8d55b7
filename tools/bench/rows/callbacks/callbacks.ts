import { cpusOf, inTurn, ratios, shown, spreadOf } from '../../rounds';
import type { Setup } from '../../setup';
import { AT_ONCE, candidatesOn, VERIFYING, WEBHOOK, type Rate } from './candidates';

/** Callbacks a second and CPU time for each, in turn, round after round. */
export async function callbacks(setup: Setup): Promise<void> {
	const [rounds, amounts] = setup.isQuick
		? [1, { events: 10, idle: 10, asleep: 5 }]
		: [4, { events: 60, idle: 60, asleep: 20 }];
	const measures = await inTurn(rounds, await candidatesOn(setup, amounts));
	console.log(`\nCallbacks a second, ${AT_ONCE} at a time, executions saved`);
	console.table(
		Object.fromEntries(
			Object.entries(measures).map(([name, rates]) => [name, columns(rates, measures)]),
		),
	);
}

function columns(rates: Rate[], all: Record<string, Rate[]>): Record<string, string> {
	const beside = (name: string): string =>
		shown(spreadOf(ratios(ratesOf(rates), ratesOf(all[name] ?? []))), 2);
	return {
		'a second': shown(spreadOf(ratesOf(rates)), 1),
		'CPU each (ms)': shown(spreadOf(cpusOf(rates)), 1),
		[`of ${WEBHOOK}`]: beside(WEBHOOK),
		[`of ${VERIFYING}`]: beside(VERIFYING),
	};
}

/** How many a second. */
export function ratesOf(rates: Rate[]): number[] {
	return rates.map(({ rate }) => rate);
}
