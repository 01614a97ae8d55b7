import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';
import Table from 'cli-table3';

import { MAX_MS, tryOut, type Result } from './measure';
import { baseUrls } from './targets/baseUrls';
import { callbacks } from './targets/callbacks';
import { envelopes } from './targets/envelopes';
import { fileHeaders } from './targets/fileHeaders';
import { forms, schemas } from './targets/schemas';
import { streamedJson } from './targets/streamedJson';
import type { Target } from './target';

const USAGE = `npm run fuzz -- [seconds] [--seed number] [--only target]

Tries random inputs for so many seconds in all (default 60). With the seed of an
earlier run the same inputs come again.`;

type Trial = (seconds: number, seed: number) => Promise<Result>;

function trial<T>(target: Target<T>): [name: string, trial: Trial] {
	return [target.name, async (seconds, seed) => await tryOut(target, seconds, seed)];
}

const TRIALS = new Map([
	trial(envelopes),
	trial(callbacks),
	trial(schemas),
	trial(forms),
	trial(fileHeaders),
	trial(baseUrls),
	trial(streamedJson),
]);

async function main(): Promise<number> {
	const { values, positionals } = parseArgs({
		allowPositionals: true,
		options: { seed: { type: 'string' }, only: { type: 'string' } },
	});
	const seconds = Number(positionals[0] ?? 60);
	const seed = Number(values.seed ?? randomInt(2 ** 31));
	const chosen = [...TRIALS].filter(([name]) => (values.only ?? name) === name);
	if (!(seconds > 0) || !Number.isInteger(seed) || chosen.length === 0) {
		console.error(`${USAGE}\n\nTargets: ${[...TRIALS.keys()].join(', ')}`);
		return 2;
	}
	console.log(`Seed ${seed}`);
	const results: Result[] = [];
	for (const [, tryTarget] of chosen) {
		results.push(await tryTarget(seconds / chosen.length, seed));
	}
	const table = new Table({ head: ['Target', 'Inputs', 'Failures', 'Longest (ms)'] });
	for (const { name, inputs, failure, maxMs } of results) {
		table.push([name, inputs, failure === undefined ? 0 : 1, maxMs.toFixed(1)]);
	}
	console.log(table.toString());
	for (const { name, failure, slowest } of results) {
		console.log(`\n${name}, slowest: ${slowest}`);
		if (failure !== undefined) console.log(failure);
	}
	console.log(`\nNo input may fail or take more than ${MAX_MS} ms of processor time.`);
	return results.some(({ failure }) => failure !== undefined) ? 1 : 0;
}

void main().then((code) => process.exit(code));
