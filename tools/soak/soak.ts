import { randomInt } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';

import { closeAudit, printAudit } from './audit';
import { playDisturbances, playRestarts } from './faults';
import { FailedRequests } from './failures';
import { readHistory } from './history';
import { Load, retryCrashed, settle } from './load';
import { plotMemory, sampleMemory, slopeOf, type Sample } from './memory';
import { planDisturbances, planJobs, planRestarts } from './plan';
import { readOutputs } from './outputs';
import { keyOf, openSetup } from './setup';
import { publishWorkflows } from './workflows';

const USAGE = `npm run soak -- [--minutes number] [--seed number] [--rate number] [--plot file]

Runs workflows of many kinds in a real n8n for so many minutes (default 30), at most so many runs
a second (default 11.5), while the service and n8n fail in all ways. Then compares what the
service did with what n8n holds. The same seed plays the same faults again.`;

/** How often failed requests are noticed, in milliseconds, before the service forgets them. */
const NOTICE_EVERY = 30_000;

/** How fast the heap's floor may rise, in megabytes a minute. */
const MAX_RISE = 2;

/** For how long a process takes up memory of its own after its start, in minutes. */
const WARMING_UP = 2;

interface Settings {
	minutes: number;
	seed: number;
	rate: number;
	plot: string | undefined;
}

function readSettings(): Settings | undefined {
	const { values } = parseArgs({
		options: {
			minutes: { type: 'string', default: '30' },
			seed: { type: 'string' },
			rate: { type: 'string', default: '11.5' },
			plot: { type: 'string' },
		},
	});
	const minutes = Number(values.minutes);
	const rate = Number(values.rate);
	const seed = Number(values.seed ?? randomInt(2 ** 31));
	if (!(minutes > 0) || !(rate > 0) || !Number.isInteger(seed)) return undefined;
	return { minutes, seed, rate, plot: values.plot };
}

async function soak({ minutes, seed, rate, plot }: Settings): Promise<boolean> {
	const time = minutes * 60_000;
	console.log(`Seed ${seed}, ${minutes} minutes, at most ${rate} runs a second`);
	const setup = await openSetup();
	const ending = new AbortController();
	try {
		const workflows = await publishWorkflows(setup);
		const begun = Date.now();
		console.log(`Begun ${new Date(begun).toISOString()}`);
		const report = (what: string): void => {
			const seconds = Math.round((Date.now() - begun) / 1_000);
			const clock = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
			console.log(`${clock.padStart(6)}  ${what}`);
		};
		const jobs = planJobs(seed, Math.ceil((time / 1_000) * rate));
		const load = new Load(setup, workflows, jobs, rate);
		const failed = new FailedRequests(setup.sandbox);
		const noticing = setInterval(() => void failed.read(), NOTICE_EVERY);
		ending.signal.addEventListener('abort', () => clearInterval(noticing));
		const memory = sampleMemory(setup.server.url, begun, ending.signal);
		const played = Promise.all([
			load.run(),
			playDisturbances(setup, planDisturbances(seed, time), begun, ending.signal, report),
			playRestarts(
				setup,
				planRestarts(seed, time),
				begun,
				ending.signal,
				(isUp) => load.setUp(isUp),
				report,
			),
			sleep(time, undefined, { signal: ending.signal }).then(() => load.stop()),
		]);
		const [, outages, stops] = await played;
		const [one = NaN, , fifteen = NaN] = loadavg();
		report(`all faults are over; load of the machine ${one.toFixed(1)} (${fifteen.toFixed(1)})`);
		const { took, isSettled: isQuiet } = await settle(setup);
		const retried = await retryCrashed(setup, await readHistory(setup.client, workflows));
		const isSettled = isQuiet && (retried === 0 || (await settle(setup)).isSettled);
		if (retried > 0) report(`${retried} crashed executions were retried`);
		await failed.read();
		report(`${isSettled ? 'settled' : 'not settled'} after ${(took / 1_000).toFixed(0)} s`);
		ending.abort();
		const samples = await memory;
		if (plot !== undefined) {
			mkdirSync(path.dirname(plot), { recursive: true });
			writeFileSync(plot, plotMemory(samples, stops, begun));
		}
		const executions = await readHistory(setup.client, workflows);
		const runs = await setup.sandbox.runs();
		const audit = closeAudit({
			jobs: load.called,
			ownWords: load.ownWords,
			runs,
			callbacks: await setup.sandbox.callbacks(),
			executions,
			stops,
			outages,
			failures: failed.byRun(),
			outputs: await readOutputs(setup.sandbox, runs),
			polledKey: keyOf('polled'),
		});
		const total = executions.length;
		console.log(
			`\n${runs.length} runs, ${(runs.length / minutes / 60).toFixed(1)} a second; ${total} executions; ${stops.length} restarts of n8n`,
		);
		printAudit(audit);
		const lastBack = Math.max(...stops.map(({ backAt }) => backAt));
		const from = Math.max(minutes / 2, (lastBack - begun) / 60_000 + WARMING_UP);
		const isFlat = reportMemory(samples.filter(({ minute }) => minute >= from && minute < minutes));
		return isFlat && isSettled && audit.findings.length === 0;
	} finally {
		ending.abort();
		await setup.close();
	}
}

/** Whether the heap's floor is flat in the second half, in which n8n is not restarted. */
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

async function main(): Promise<number> {
	const settings = readSettings();
	if (settings === undefined) {
		console.error(USAGE);
		return 2;
	}
	return (await soak(settings)) ? 0 : 1;
}

void main().then(
	(code) => process.exit(code),
	(error: unknown) => {
		console.error(error);
		process.exit(1);
	},
);
