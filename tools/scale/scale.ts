import { loadavg } from 'node:os';
import { parseArgs } from 'node:util';

import { database } from './database';
import { load } from './load';

const USAGE = `npm run scale -- [load] [--executions 2000] [--batch 2000] [--workers 2] [--seconds 10] [--calm] [--peer] [--new-disks] [--set NAME=VALUE]...
npm run scale -- database [--sizes 1,10,100,1000]

load         n8n in queue mode: single executions and one of a whole batch sleep, their callbacks come within
             seconds, and meanwhile processes die and data services are restarted; --calm spares them
database     what one suspension and one resume write to PostgreSQL, beside n8n's own Wait node
--peer       beside them sleep as many executions of n8n's own nodes: HTTP Request, Wait, HTTP Request
--new-disks  killed processes start again without n8n's event log, as new containers do
--set        an environment variable for all processes of n8n`;

const OPTIONS = {
	executions: { type: 'string', default: '2000' },
	batch: { type: 'string', default: '2000' },
	workers: { type: 'string', default: '2' },
	seconds: { type: 'string', default: '10' },
	calm: { type: 'boolean', default: false },
	peer: { type: 'boolean', default: false },
	'new-disks': { type: 'boolean', default: false },
	set: { type: 'string', multiple: true },
	sizes: { type: 'string', default: '1,10,100,1000' },
} as const;

async function main(): Promise<number> {
	const { values, positionals } = parseArgs({ allowPositionals: true, options: OPTIONS });
	const [part = 'load'] = positionals;
	const numbers = [values.executions, values.batch, values.workers, values.seconds].map(Number);
	const sizes = values.sizes.split(',').map(Number);
	if (![...numbers, ...sizes].every((number) => Number.isInteger(number) && number >= 0)) {
		console.error(USAGE);
		return 2;
	}
	const [executions = 0, batch = 0, workers = 0, seconds = 0] = numbers;
	console.log(`load of the machine before: ${loadavg()[0]?.toFixed(1)}`);
	if (part === 'database') {
		await database(sizes);
		return 0;
	}
	if (part !== 'load') {
		console.error(USAGE);
		return 2;
	}
	const settings = (values.set ?? []).map((pair) => pair.split(/=(.*)/s, 2));
	const environment = Object.fromEntries(settings);
	const trouble = !values.calm;
	const isForgetful = values['new-disks'];
	const faults = await load({
		executions,
		batch,
		workers,
		seconds,
		trouble,
		hasPeer: values.peer,
		isForgetful,
		environment,
	});
	console.log(faults.length === 0 ? 'Nothing lost, nothing twice.' : faults.join('\n'));
	return faults.length === 0 ? 0 : 1;
}

main()
	.then((status) => {
		process.exitCode = status;
	})
	.catch((error: unknown) => {
		console.error(error instanceof Error ? error.message : error);
		process.exitCode = 1;
	});
