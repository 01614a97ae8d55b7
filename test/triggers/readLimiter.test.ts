import { ReadLimiter, type LimitedRead } from '../../nodes/BrowserAutomation/triggers/readLimiter';

/** A signal that is never raised, for one call. */
const never = (): AbortSignal => new AbortController().signal;

/** Reads that end when they are told to. */
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

it('lets so many read at once and so many wait; who comes then is to come again', async () => {
	const limiter = new ReadLimiter();
	const reads = new Reads();
	const results = Array.from({ length: 1_020 }, () => limiter.read(false, never(), reads.one));
	await settled();
	expect(reads.begun).toBe(20);
	expect(await limiter.read(true, never(), reads.one)).toEqual({
		retryAfterMs: 1_000,
		isFirst: true,
	});

	while (reads.begun < 1_020) {
		reads.endAll();
		await settled();
	}
	reads.endAll();
	expect(await Promise.all(results)).toEqual(results.map(() => ({ value: 'run' })));
});

it('keeps no place for who has left, while waiting or while reading', async () => {
	const limiter = new ReadLimiter();
	const hanging = new Reads();
	const impatient = Array.from({ length: 30 }, () => new AbortController());
	const given = impatient.map(({ signal }) =>
		limiter.read(false, signal, hanging.one).catch(() => 'left'),
	);
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

describe('of runs that the service does not know', () => {
	let now = Date.now();
	let asked = 0;

	beforeEach(() => {
		asked = 0;
		jest.spyOn(Date, 'now').mockImplementation(() => now);
	});

	const unknown = async (): Promise<undefined> => void asked++;

	/** Asks a hundred times, one after the other. */
	async function askOften(limiter: ReadLimiter): Promise<Array<LimitedRead<undefined>>> {
		const results: Array<LimitedRead<undefined>> = [];
		for (let count = 0; count < 100; count++) {
			results.push(await limiter.read(false, never(), unknown));
		}
		return results;
	}

	/** Of each refusal, whether it is called the first one. */
	function firsts(results: Array<LimitedRead<undefined>>): boolean[] {
		return results.flatMap((result) => ('isFirst' in result ? [result.isFirst] : []));
	}

	it('one more is asked for after each second', async () => {
		const limiter = new ReadLimiter();
		await askOften(limiter);
		expect(asked).toBe(60);
		now += 3_000;
		await askOften(limiter);
		expect(asked).toBe(63);
		now += 3_600_000;
		await askOften(limiter);
		expect(asked).toBe(123);
	});

	it('few are asked for, also of those that wait', async () => {
		const limiter = new ReadLimiter();
		const all = Array.from({ length: 200 }, () => limiter.read(false, never(), unknown));
		const results = await Promise.all(all);

		expect(asked).toBeLessThan(60 + 20);
		expect(firsts(results)).toHaveLength(200 - asked);
	});

	it('the first refusal is told from the others, and so is the first one after all was well', async () => {
		const limiter = new ReadLimiter();
		const inARow = [true, ...Array<boolean>(39).fill(false)];

		expect(firsts(await askOften(limiter))).toEqual(inARow);
		now += 59_000;
		expect(firsts(await askOften(limiter))).not.toContain(true);
		now += 60_000;
		expect(firsts(await askOften(limiter))).toEqual(inARow);
	});
});
