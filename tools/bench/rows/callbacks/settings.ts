import { inTurn, shown, spreadOf } from '../../rounds';
import { openSetup, type Setup } from '../../setup';
import { ratesOf } from './callbacks';
import { candidatesOn, OUR_RESUME, OURS, SLACK, VERIFYING, type Rate } from './candidates';

/** n8n's settings that decide what preparing expressions costs, and what they are called here. */
const SETTINGS: Record<string, Record<string, string>> = {
	'as n8n comes': {},
	'COMPILE_CACHE=true': { N8N_EXPRESSION_ENGINE_COMPILE_CACHE: 'true' },
	'LAZY_ACQUIRE=true': { N8N_EXPRESSION_ENGINE_LAZY_ACQUIRE: 'true' },
	'ENGINE=legacy': { N8N_EXPRESSION_ENGINE: 'legacy' },
};

const MEASURED = [VERIFYING, SLACK, OURS, OUR_RESUME];

/** The same callbacks in one n8n for each setting, which all run at the same time and are asked in turn. */
export async function settings(isQuick: boolean): Promise<void> {
	const [rounds, amounts] = isQuick
		? [1, { events: 5, idle: 5, asleep: 3 }]
		: [3, { events: 20, idle: 20, asleep: 6 }];
	const setups: Setup[] = [];
	try {
		const all: Record<string, () => Promise<Rate>> = {};
		for (const [setting, environment] of Object.entries(SETTINGS)) {
			const setup = await openSetup({ environment });
			setups.push(setup);
			const candidates = Object.entries(await candidatesOn(setup, amounts));
			for (const [name, measure] of candidates.filter(([name]) => MEASURED.includes(name))) {
				all[nameOf(setting, name)] = async () => await said(nameOf(setting, name), measure);
			}
		}
		const measures = await inTurn(rounds, all);
		const table = (figure: (rates: Rate[]) => string): Record<string, Record<string, string>> =>
			Object.fromEntries(
				Object.keys(SETTINGS).map((setting) => [
					setting,
					Object.fromEntries(
						MEASURED.map((name) => [name, figure(measures[nameOf(setting, name)] ?? [])]),
					),
				]),
			);
		console.log('\nCallbacks a second by n8n’s settings (N8N_EXPRESSION_…)');
		console.table(table((rates) => shown(spreadOf(ratesOf(rates)), 1)));
		console.log('\nCPU time of each in milliseconds');
		console.table(table((rates) => shown(spreadOf(rates.map(({ cpu }) => cpu)), 1)));
	} finally {
		for (const setup of setups) await setup.close();
	}
}

/** Says each figure as it comes: all of them together take ten minutes. */
async function said(name: string, measure: () => Promise<Rate>): Promise<Rate> {
	const found = await measure();
	console.log(`${name}: ${found.rate.toFixed(1)} a second, ${found.cpu.toFixed(0)} ms of CPU each`);
	return found;
}

function nameOf(setting: string, candidate: string): string {
	return `${setting}: ${candidate}`;
}
