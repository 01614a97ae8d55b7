import { loadavg } from 'node:os';
import { parseArgs } from 'node:util';

import { callbacks } from './callbacks';
import { loading } from './loading';
import { items, lists, sizes } from './requests';
import { openStage, type Stage } from './stage';
import { asleep, batches, lateness, resumed, slots, starts } from './waiting';

/** What is measured, by the name given on the command line. */
const ROWS: Record<string, (stage: Stage, isQuick: boolean) => Promise<void>> = {
	...{ batches, starts, lateness, slots, resumed, callbacks, items, lists, sizes, asleep },
	loading: async (_, isQuick) => await loading(isQuick),
};

const USAGE = `npm run bench -- [ROW]... [--quick] [--workers 2] [--set NAME=VALUE]...

Rows: ${Object.keys(ROWS).join(', ')}; all of them when none is named
--quick    a little of each, to see that it works
--workers  n8n in queue mode, with so many workers
--set      an environment variable for all processes of n8n`;

async function main(): Promise<void> {
	const { values, positionals } = parseArgs({
		allowPositionals: true,
		options: {
			quick: { type: 'boolean', default: false },
			workers: { type: 'string', default: '0' },
			set: { type: 'string', multiple: true, default: [] },
		},
	});
	const unknown = positionals.filter((name) => !(name in ROWS));
	if (unknown.length > 0) throw new Error(`There is no row ${unknown.join(', ')}.\n\n${USAGE}`);
	const tellLoad = (): void => {
		const loads = loadavg().map((load) => load.toFixed(1));
		console.log(`load of the machine: ${loads.join(', ')}`);
	};
	tellLoad();
	const rows = Object.entries(ROWS).filter(
		([name]) => positionals.length === 0 || positionals.includes(name),
	);
	const environment = Object.fromEntries(values.set.map((pair) => pair.split(/=(.*)/s, 2)));
	const stage = await openStage({ workers: Number(values.workers), environment });
	try {
		for (const [, row] of rows) {
			await row(stage, values.quick);
			tellLoad();
		}
	} finally {
		await stage.close();
	}
}

main().catch((error: unknown) => {
	console.error(error instanceof Error ? error.message : error);
	process.exitCode = 1;
});
