import { ReadLimiter } from '../../nodes/BrowserAutomation/triggers/readLimiter';
import { putClock, underOwnClock, usualClock } from './ownClock';

jest.mock('n8n-workflow', () =>
	jest.requireActual<{ withOwnPauses(): object }>('./ownClock').withOwnPauses(),
);

/** How long the reads of a test go on, in milliseconds. */
const TERM_MS = 510;

/** How long a callback may wait for its read. */
const ANSWER_WITHIN_MS = 25_000;

beforeEach(() => underOwnClock({ [TERM_MS]: TERM_MS, [ANSWER_WITHIN_MS]: ANSWER_WITHIN_MS }));

afterEach(() => {
	jest.restoreAllMocks();
	usualClock();
});

const never = (): AbortSignal => new AbortController().signal;

class Reads {
	begun = 0;
	private readonly ends: Array<() => void> = [];

	readonly one = async (): Promise<string> => {
		this.begun += 1;
		await new Promise<void>((resolve) => this.ends.push(resolve));
		return 'run';
	};

	endAll(): void {
		for (const end of this.ends.splice(0)) end();
	}
}

const settled = async (): Promise<void> => await new Promise((resolve) => setImmediate(resolve));

it('lets so many read at once and the others wait, each kind in a line of its own', async () => {
	const limiter = new ReadLimiter();
	const reads = new Reads();
	const others = Array.from({ length: 1_020 }, () => limiter.read(false, never(), reads.one));
	await settled();
	expect(reads.begun).toBe(20);
	const real = Array.from({ length: 30 }, () => limiter.read(true, never(), reads.one));
	await settled();
	expect(reads.begun).toBe(40);

	while (reads.begun < 1_050) {
		reads.endAll();
		await settled();
	}
	reads.endAll();
	expect(new Set(await Promise.all([...others, ...real]))).toEqual(new Set(['run']));
});

it('keeps no place for who has left, while waiting or while reading', async () => {
	const limiter = new ReadLimiter();
	const hanging = new Reads();
	const impatient = Array.from({ length: 30 }, () => new AbortController());
	const given = impatient.map(({ signal }) =>
		limiter.read(false, signal, hanging.one).catch(() => 'left'),
	);
	await settled();
	for (const controller of impatient) controller.abort();
	expect(new Set(await Promise.all(given))).toEqual(new Set(['left']));

	const reads = new Reads();
	const results = Array.from({ length: 20 }, () => limiter.read(false, never(), reads.one));
	await settled();
	expect(reads.begun).toBe(20);
	reads.endAll();
	await Promise.all(results);
	expect(hanging.begun).toBe(20);
});

/** How many reads, asked for one after the other, are made in half a second, of 200. */
async function readsInTerm(
	limiter: ReadLimiter,
	{ isKnown, found }: { isKnown: boolean; found: boolean },
): Promise<number> {
	let reads = 0;
	const signal = AbortSignal.timeout(TERM_MS);
	const work = async (): Promise<string | undefined> => {
		reads += 1;
		return found ? 'run' : undefined;
	};
	for (let asked = 0; asked < 200 && !signal.aborted; asked++) {
		await limiter.read(isKnown, signal, work).catch(() => undefined);
	}
	return reads;
}

it.each([
	['few unknown in a row, then some a second', { isKnown: false, found: false }, [60 + 10, 11]],
	['all others that it finds', { isKnown: false, found: true }, [200, 200]],
])('asks the service for runs: %s', async (_, kind, reads) => {
	const limiter = new ReadLimiter();
	expect([await readsInTerm(limiter, kind), await readsInTerm(limiter, kind)]).toEqual(reads);
});

it('nothing waits for long because the machine’s clock was put back', async () => {
	const limiter = new ReadLimiter();
	for (const isKnown of [true, false]) await readsInTerm(limiter, { isKnown, found: false });
	putClock(-24 * 3_600_000);
	const signal = AbortSignal.timeout(ANSWER_WITHIN_MS);
	const read = async (isKnown: boolean): Promise<string | undefined> =>
		await limiter.read(isKnown, signal, async () => await Promise.resolve('run'));

	expect([await read(false), await read(true)]).toEqual(['run', 'run']);
});

it.each([
	['was given up', async () => await new Promise<undefined>(() => undefined)],
	['failed', async () => await Promise.reject<undefined>(new Error('no'))],
])('a read that %s counts as well: the service had to answer it', async (_, work) => {
	const limiter = new ReadLimiter();
	for (let read = 0; read < 60; read++) {
		const leaving = new AbortController();
		const given = limiter.read(false, leaving.signal, work).catch(() => 'left');
		await settled();
		leaving.abort();
		expect(await given).toBe('left');
	}
	expect(await readsInTerm(limiter, { isKnown: false, found: false })).toBe(10);
});
