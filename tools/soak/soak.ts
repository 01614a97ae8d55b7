import { randomInt } from 'node:crypto';
import { loadavg } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';

import { openStage } from '../bench/stage';
import { closeAudit, printAudit, type Audit } from './audit';
import { playDisturbances, playRestarts } from './faults';
import { readHistory } from './history';
import { Load, retry, settle } from './load';
import { sampleMemory, slopeOf, type Sample } from './memory';
import { planDisturbances, planJobs, planRestarts } from './plan';
import { FailedRequests, keyOf, readOutputs, withAccounts } from './service';
import { storm } from './storm';
import { publishOthers, publishWaiting } from './workflows';

const USAGE = `npm run soak -- [--minutes 30] [--seed number] [--rate 11.5]
npm run soak -- --storm [--executions 2000] [--batch 2000] [--workers 2] [--calm] [--new-disks]

Runs workflows of many kinds in a real n8n for so many minutes, at most so many runs a second, while the
service and n8n fail in all ways. The same seed plays the same faults again.

--storm      in queue mode instead: single executions and one of a whole batch sleep, their callbacks come
             within seconds, and meanwhile processes die and data services are restarted; --calm spares them
--new-disks  killed processes start again without n8n's event log, as new containers do
--set        an environment variable for all processes of n8n, NAME=VALUE

Then what the service did is compared with what n8n holds.`;

/** How often failed requests are noticed, in milliseconds, before the service forgets them. */
const NOTICE_EVERY = 30_000;

/** How many requests and callbacks the service remembers: all callbacks of a soak. */
const REMEMBERED = 60_000;

/** How many runs the limited account may have going on, and how many executions may be open. */
const SLOTS = 60;
const MAX_OPEN = 300;

/** How long everything may take to come to its end: n8n's wait timer is set to a quarter of an hour at most. */
const SETTLE_LIMIT = 960_000;

/** How fast the heap's floor may rise, in megabytes a minute. */
const MAX_RISE = 2;

/** For how long a process takes up memory of its own after its start, in minutes. */
const WARMING_UP = 2;

interface Settings {
	minutes: number;
	seed: number;
	rate: number;
	environment: Record<string, string>;
}

/** @returns the audit, and whether the memory is level and everything came to an end */
async function soak({ minutes, seed, rate, environment }: Settings): Promise<[Audit, boolean]> {
	const time = minutes * 60_000;
	console.log(`Seed ${seed}, ${minutes} minutes, at most ${rate} runs a second`);
	const stage = await openStage({
		// n8n keeps every execution, tells its own memory, and collects its garbage.
		environment: {
			...{ EXECUTIONS_DATA_PRUNE: 'false', N8N_METRICS: 'true', ...environment },
			NODE_OPTIONS: `--require "${path.join(__dirname, 'collectGarbage.js')}"`,
		},
		service: { recordLimit: REMEMBERED },
	});
	const ending = new AbortController();
	const { signal } = ending;
	try {
		const setup = await withAccounts(stage, SLOTS);
		await publishWaiting(setup);
		const workflows = await publishOthers(setup);
		const begun = Date.now();
		const report = (what: string): void => {
			const seconds = Math.round((Date.now() - begun) / 1_000);
			const clock = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
			console.log(`${clock.padStart(6)}  ${what}`);
		};
		const jobs = planJobs(seed, Math.ceil((time / 1_000) * rate));
		const load = new Load(setup, jobs, { rate, maxOpen: MAX_OPEN }, workflows.own);
		const failed = new FailedRequests(setup.sandbox);
		const noticing = setInterval(() => void failed.read(), NOTICE_EVERY);
		signal.addEventListener('abort', () => clearInterval(noticing));
		const [server] = stage.servers;
		if (server === undefined) throw new Error('There is no n8n');
		const memory = sampleMemory(server.url, begun, signal);
		const restarts = planRestarts(seed, time);
		const onUp = (isUp: boolean): void => load.setUp(isUp);
		const [, outages, stops] = await Promise.all([
			load.run(),
			playDisturbances(setup, planDisturbances(seed, time), begun, signal, report),
			playRestarts(server, restarts, begun, signal, onUp, report),
			sleep(time, undefined, { signal }).then(() => load.stop()),
		]);
		report(`all faults are over; load of the machine ${loadavg()[0]?.toFixed(1)}`);
		const isQuiet = await settle(setup, SETTLE_LIMIT, true);
		const history = await readHistory(setup.client, workflows);
		const retried = await retry(
			setup,
			history.filter(({ status }) => status === 'crashed'),
		);
		const isSettled =
			isQuiet && (retried.length === 0 || (await settle(setup, SETTLE_LIMIT, true)));
		await failed.read();
		report(
			`${isSettled ? 'settled' : 'NOT settled'}; ${retried.length} crashed executions were retried`,
		);
		ending.abort();
		const samples = await memory;
		const executions = await readHistory(setup.client, workflows);
		const runs = await setup.sandbox.runs();
		console.log(
			`\n${runs.length} runs, ${(runs.length / minutes / 60).toFixed(1)} a second; ${executions.length} executions; ${stops.length} restarts of n8n`,
		);
		const audit = closeAudit({
			...{ jobs: load.called, ownWords: load.ownWords, runs, executions, stops, outages },
			callbacks: await setup.sandbox.callbacks(),
			failures: failed.byRun(),
			outputs: await readOutputs(setup.sandbox, runs),
			polledKey: keyOf('polled'),
		});
		const lastBack = Math.max(...stops.map(({ backAt }) => backAt));
		const from = Math.max(minutes / 2, (lastBack - begun) / 60_000 + WARMING_UP);
		const isLevel = reportMemory(
			samples.filter(({ minute }) => minute >= from && minute < minutes),
		);
		return [audit, isLevel && isSettled];
	} finally {
		ending.abort();
		await stage.close();
	}
}

/** Whether the heap's floor is level in the second half, in which n8n is not restarted. */
function reportMemory(second: readonly Sample[]): boolean {
	const [heap, resident] = [slopeOf(second, 'heap'), slopeOf(second, 'resident')];
	if (heap === undefined || resident === undefined) {
		console.log('\nMemory: too short to report.');
		return true;
	}
	console.log(
		`\nMemory in the second half: the floor of the heap rises by ${heap.toFixed(2)} MB a minute (at most ${MAX_RISE}), that of the resident memory by ${resident.toFixed(2)}.`,
	);
	return heap <= MAX_RISE;
}

async function main(): Promise<boolean> {
	const text = { type: 'string' } as const;
	const flag = { type: 'boolean', default: false } as const;
	const { values } = parseArgs({
		options: {
			...{ minutes: { ...text, default: '30' }, rate: { ...text, default: '11.5' }, seed: text },
			...{ storm: flag, calm: flag, 'new-disks': flag, help: flag },
			executions: { ...text, default: '2000' },
			batch: { ...text, default: '2000' },
			workers: { ...text, default: '2' },
			set: { ...text, multiple: true, default: [] },
		},
	});
	const seed = Number(values.seed ?? randomInt(2 ** 31));
	const [minutes = 0, rate = 0] = [values.minutes, values.rate].map(Number);
	const counts = [values.executions, values.batch, values.workers].map(Number);
	const isRight = minutes > 0 && rate > 0 && [seed, ...counts].every(Number.isInteger);
	if (values.help || !isRight) {
		console.error(USAGE);
		return values.help;
	}
	const [executions = 0, batch = 0, workers = 0] = counts;
	const environment = Object.fromEntries(values.set.map((pair) => pair.split(/=(.*)/s, 2)));
	const switches = { isCalm: values.calm, hasNewDisks: values['new-disks'] };
	const [audit, isWell] = values.storm
		? [await storm({ executions, batch, workers, ...switches, environment }), true]
		: await soak({ minutes, seed, rate, environment });
	printAudit(audit);
	return isWell && audit.findings.length === 0;
}

void main().then(
	(isWell) => process.exit(isWell ? 0 : 1),
	(error: unknown) => {
		console.error(error);
		process.exit(1);
	},
);
