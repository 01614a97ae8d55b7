import fc from 'fast-check';

import type { CallbackFaults, Fault } from '../../dev/sandbox/faults';

/** Kinds of work, each a workflow of its own (workflows.ts). */
export const KINDS = [
	'asleep',
	'batch',
	'poll',
	'existing',
	'notify',
	'notifyAsleep',
	'files',
] as const;

export type Kind = (typeof KINDS)[number];

/** How often a kind comes, and how many items it has, from one number to another. */
const SHARES: Record<Kind, { weight: number; items: [number, number] }> = {
	asleep: { weight: 30, items: [1, 1] },
	batch: { weight: 8, items: [20, 50] },
	poll: { weight: 6, items: [1, 20] },
	existing: { weight: 6, items: [1, 5] },
	notify: { weight: 8, items: [1, 1] },
	notifyAsleep: { weight: 4, items: [1, 1] },
	files: { weight: 4, items: [1, 2] },
};

/** An item of a job: the word by which its run is known in the service, and whether that run fails. */
export interface Item {
	word: string;
	fails: boolean;
}

/** One execution that is to be started. */
export interface Job {
	name: string;
	kind: Kind;
	items: Item[];
}

const MAX_ITEMS = 50;
const FAILING_OF_100 = 4;

const jobs = fc.noBias(
	fc.record({
		kind: fc.oneof(
			...KINDS.map((kind) => ({ weight: SHARES[kind].weight, arbitrary: fc.constant(kind) })),
		),
		size: fc.integer({ min: 0, max: 999 }),
		fates: fc.array(fc.integer({ min: 0, max: 99 }), {
			minLength: MAX_ITEMS,
			maxLength: MAX_ITEMS,
		}),
	}),
);

/** The jobs of a seed with so many items or a few more in all. Names and words are each there once. */
export function planJobs(seed: number, items: number): Job[] {
	const planned: Job[] = [];
	let left = items;
	for (const { kind, size, fates } of fc.sample(jobs, { seed, numRuns: items })) {
		if (left <= 0) break;
		const number = String(planned.length).padStart(6, '0');
		const [least, max] = SHARES[kind].items;
		const count = least + (size % (max - least + 1));
		planned.push({
			name: `job-${number}`,
			kind,
			items: fates.slice(0, count).map((fate, index) => ({
				word: `word-${number}-${index}`,
				fails: fate < FAILING_OF_100,
			})),
		});
		left -= count;
	}
	return planned;
}

/** Executions of one item and one of a whole batch, whose runs all end well. */
export function planStorm(executions: number, batch: number): Job[] {
	const job = (index: number, kind: Kind, count: number): Job => {
		const name = `job-${String(index).padStart(6, '0')}`;
		const words = Array.from({ length: count }, (_, item) => `word-${index}-${item}`);
		return { name, kind, items: words.map((word) => ({ word, fails: false })) };
	};
	const single = Array.from({ length: executions }, (_, index) => job(index, 'asleep', 1));
	return batch === 0 ? single : [job(executions, 'batch', batch), ...single];
}

/** What happens to the service for a while. Times in milliseconds since the beginning. */
export interface Disturbance {
	at: number;
	length: number;
	/** What it is, in words. */
	title: string;
	faults: Fault[];
	callbacks: CallbackFaults;
	/** Whether the service takes no connections. */
	isDown: boolean;
	/** How many callbacks strangers send meanwhile. */
	forgeries: number;
	/** How long runs take from then on. */
	running: number;
}

type Trouble = Partial<Pick<Disturbance, 'faults' | 'callbacks' | 'isDown' | 'forgeries'>> & {
	title: string;
};

const READS_AND_STARTS = '^/v[23]/';
const FILES = '^/files/';

function some(max: number): fc.Arbitrary<number> {
	return fc.integer({ min: 1, max });
}

/** What may go wrong: one of each comes before any comes again. */
const TROUBLES: Array<fc.Arbitrary<Trouble>> = [
	some(3).map((seconds) => ({
		title: `429 to all, Retry-After ${seconds}`,
		faults: [{ kind: 'rateLimit', retryAfter: String(seconds), path: READS_AND_STARTS }],
	})),
	fc.constant({
		title: '500 to all',
		faults: [{ kind: 'serverError', path: READS_AND_STARTS }],
	}),
	some(5).map((times) => ({
		title: `500 to ${times} that was carried out`,
		faults: [{ kind: 'serverError', after: true, path: READS_AND_STARTS, times }],
	})),
	some(10).map((times) => ({
		title: `${times} cut before it was carried out`,
		faults: [{ kind: 'cutConnection', path: READS_AND_STARTS, times }],
	})),
	some(5).map((times) => ({
		title: `${times} cut after it was carried out`,
		faults: [{ kind: 'cutConnection', after: true, path: READS_AND_STARTS, times }],
	})),
	some(5).map((times) => ({
		title: `${times} answers that break off`,
		faults: [{ kind: 'malformedJson', path: READS_AND_STARTS, times }],
	})),
	fc.integer({ min: 300, max: 3_000 }).map((ms) => ({
		title: `answers ${ms} ms later`,
		faults: [{ kind: 'latency', ms }],
	})),
	fc.constant({ title: 'the service is down', isDown: true }),
	fc.record({ times: some(5), afterBytes: fc.nat(200) }).map(({ times, afterBytes }) => ({
		title: `${times} files cut after ${afterBytes} bytes, then 500 to ${times}`,
		faults: [
			{ kind: 'cutConnection', path: FILES, times, afterBytes },
			{ kind: 'serverError', path: FILES, times },
		],
	})),
	fc.constant({ title: 'callbacks lost', callbacks: { lose: 'all' } }),
	fc
		.record({ repeat: fc.integer({ min: 2, max: 5 }), repeatEveryMs: fc.nat(500) })
		.map((callbacks): Trouble => ({
			title: `callbacks ${callbacks.repeat} times, each ${callbacks.repeatEveryMs} ms`,
			callbacks,
		})),
	fc.integer({ min: 200, max: 1_500 }).map((reverseWithinMs) => ({
		title: `callbacks in reverse order within ${reverseWithinMs} ms`,
		callbacks: { reverseWithinMs },
	})),
	fc.integer({ min: 500, max: 5_000 }).map((delayMs) => ({
		title: `callbacks ${delayMs} ms later`,
		callbacks: { delayMs },
	})),
	fc.constant({ title: 'callbacks before the start is answered', callbacks: { early: true } }),
	fc.integer({ min: 10, max: 40 }).map((forgeries) => ({
		title: `${forgeries} forged callbacks`,
		forgeries,
	})),
];

/** A time for each of a round's troubles, in milliseconds. */
const times = (min: number, max: number): fc.Arbitrary<number[]> =>
	fc.array(fc.integer({ min, max }), { minLength: TROUBLES.length, maxLength: TROUBLES.length });

const rounds = fc.noBias(
	fc.record({
		order: fc.shuffledSubarray(
			TROUBLES.map((_, index) => index),
			{ minLength: TROUBLES.length },
		),
		troubles: fc.tuple(...TROUBLES),
		lengths: times(2_000, 6_000),
		pauses: times(2_000, 6_000),
		running: times(300, 6_000),
	}),
);

/** The faults of a seed, one after another, that begin within a time in milliseconds. */
export function planDisturbances(seed: number, time: number): Disturbance[] {
	const planned: Disturbance[] = [];
	let at = 0;
	const max = Math.ceil(time / 4_000 / TROUBLES.length) + 1;
	for (const round of fc.sample(rounds, { seed, numRuns: max })) {
		for (const [turn, index] of round.order.entries()) {
			const trouble = round.troubles[index];
			const length = round.lengths[turn] ?? 0;
			at += round.pauses[turn] ?? 0;
			if (trouble === undefined || at >= time) break;
			planned.push({
				faults: [],
				callbacks: {},
				isDown: false,
				forgeries: 0,
				running: round.running[turn] ?? 0,
				...trouble,
				at,
				length,
			});
			at += length;
		}
	}
	return planned;
}

export type StopSignal = 'SIGTERM' | 'SIGKILL';

/** When n8n is stopped, in milliseconds since the beginning, and how. It is started again at once. */
export interface Restart {
	at: number;
	signal: StopSignal;
}

/** Restarts end after this share of the time, so that one process lives through the rest. */
const RESTARTS_UNTIL = 0.5;
const BETWEEN_RESTARTS = 150_000;

/** The restarts of a seed: two or more, SIGTERM and SIGKILL in turn, within the first half of a time. */
export function planRestarts(seed: number, time: number): Restart[] {
	const span = time * RESTARTS_UNTIL;
	const count = Math.max(2, Math.round(span / BETWEEN_RESTARTS));
	const shifts = fc.sample(fc.noBias(fc.integer({ min: -25, max: 0 })), { seed, numRuns: count });
	return shifts.map((shift, index) => ({
		at: Math.round((span * (index + 1 + shift / 100)) / count),
		signal: index % 2 === 0 ? 'SIGTERM' : 'SIGKILL',
	}));
}
