import { loadavg } from 'node:os';

import { callbacks } from './rows/callbacks/callbacks';
import { settings } from './rows/callbacks/settings';
import { growth } from './rows/growth/growth';
import { sizes } from './rows/growth/sizes';
import { items } from './rows/items';
import { lists } from './rows/lists';
import { loading } from './rows/loading';
import { asleep } from './rows/waiting/asleep';
import { batches, spread } from './rows/waiting/batches';
import { lateness } from './rows/waiting/lateness';
import { minutes } from './rows/waiting/minutes';
import { pages } from './rows/waiting/pages';
import { slots, slotSettings } from './rows/waiting/slots';
import { openSetup, type Setup } from './setup';

/** What is measured, by the name given on the command line. */
const ROWS: Record<string, (setup: Setup) => Promise<void>> = {
	items,
	lists,
	sizes,
	lateness,
	minutes,
	asleep,
	batches,
	spread,
	pages,
	slots,
	callbacks,
};

/** What needs no running n8n, or one of its own. */
const ROWS_WITHOUT_SETUP: Record<string, (isQuick: boolean) => Promise<void>> = {
	loading,
	growth,
	settings,
	slotSettings,
};

/** The argument for a little of everything, to see that it works (rows of waiting). */
const QUICK = '--quick';

/** The mean number of processes that wanted to run, over 1 and 15 minutes. */
function shownLoad([one = NaN, , fifteen = NaN]: number[]): string {
	return `${one.toFixed(1)} (${fifteen.toFixed(1)})`;
}

async function main(): Promise<void> {
	const isQuick = process.argv.includes(QUICK);
	const wanted = process.argv.slice(2).filter((argument) => argument !== QUICK);
	const known = [...Object.keys(ROWS_WITHOUT_SETUP), ...Object.keys(ROWS)];
	const unknown = wanted.filter((name) => !known.includes(name));
	if (unknown.length > 0) {
		throw new Error(`There is no row ${unknown.join(', ')}. Rows: ${known.join(', ')}`);
	}
	const isWanted = ([name]: [string, unknown]): boolean =>
		wanted.length === 0 || wanted.includes(name);
	for (const [, row] of Object.entries(ROWS_WITHOUT_SETUP).filter(isWanted)) await row(isQuick);

	const onSetup = Object.entries(ROWS).filter(isWanted);
	if (onSetup.length === 0) return;
	const setup = await openSetup({ isQuick });
	try {
		for (const [, row] of onSetup) {
			const before = loadavg();
			await row(setup);
			console.log(
				`load of the machine: ${shownLoad(before)} before, ${shownLoad(loadavg())} after`,
			);
		}
	} finally {
		await setup.close();
	}
}

main().catch((error: unknown) => {
	console.error(error instanceof Error ? error.message : error);
	process.exitCode = 1;
});
