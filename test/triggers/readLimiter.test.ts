import { ReadLimiter } from '../../nodes/BrowserAutomation/triggers/readLimiter';

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

it('asks for one more unknown run after each second', async () => {
	const limiter = new ReadLimiter();
	let now = Date.now();
	jest.spyOn(Date, 'now').mockImplementation(() => now);
	let asked = 0;
	const unknown = async (): Promise<undefined> => void asked++;
	const askOften = async (): Promise<void> => {
		for (let count = 0; count < 100; count++) await limiter.read(false, never(), unknown);
	};
	await askOften();
	expect(asked).toBe(60);
	now += 3_000;
	await askOften();
	expect(asked).toBe(63);
	now += 3_600_000;
	await askOften();
	expect(asked).toBe(123);
});
