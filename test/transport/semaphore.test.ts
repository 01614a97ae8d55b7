import { Semaphore } from '../../nodes/BrowserAutomation/transport/semaphore';

const settled = async (): Promise<void> => await new Promise((resolve) => setImmediate(resolve));

/** A signal that is never raised. */
const never = new AbortController().signal;

/** Work that notes when it begins, and ends when it is told to. */
class Works {
	readonly begun: string[] = [];
	private readonly ends = new Map<string, () => void>();

	named(name: string): () => Promise<string> {
		return async () => {
			this.begun.push(name);
			await new Promise<void>((resolve) => this.ends.set(name, resolve));
			return name;
		};
	}

	async end(name: string): Promise<void> {
		this.ends.get(name)?.();
		await settled();
	}
}

it('lets so many in at once, and the others in the order in which they came', async () => {
	const semaphore = new Semaphore(2);
	const works = new Works();
	const names = ['a', 'b', 'c', 'd'];
	const results = names.map((name) => semaphore.inTurn(undefined, works.named(name)));
	await settled();
	expect(works.begun).toEqual(['a', 'b']);

	await works.end('b');
	expect(works.begun).toEqual(['a', 'b', 'c']);

	await works.end('a');
	await works.end('c');
	await works.end('d');
	expect(await Promise.all(results)).toEqual(names);
});

it('has as many places afterwards as before, also where work has failed', async () => {
	const semaphore = new Semaphore(1);
	const failing = async (): Promise<never> => await Promise.reject(new Error('failed'));
	await expect(semaphore.inTurn(never, failing)).rejects.toThrow('failed');

	const works = new Works();
	const results = ['a', 'b'].map((name) => semaphore.inTurn(never, works.named(name)));
	await settled();
	expect(works.begun).toEqual(['a']);
	await works.end('a');
	await works.end('b');
	expect(await Promise.all(results)).toEqual(['a', 'b']);
});

it('keeps no place for who has gone', async () => {
	const semaphore = new Semaphore(1);
	const works = new Works();
	const first = semaphore.inTurn(never, works.named('first'));
	const impatient = new AbortController();
	const gone = semaphore.inTurn(impatient.signal, works.named('gone'));
	const next = semaphore.inTurn(never, works.named('next'));
	impatient.abort(new Error('too late'));
	await expect(gone).rejects.toThrow('too late');
	await settled();
	expect(works.begun).toEqual(['first']);

	await works.end('first');
	expect(works.begun).toEqual(['first', 'next']);
	await works.end('next');
	await Promise.all([first, next]);
});

it.each(Array.from({ length: 12 }, (_, moment) => moment))(
	'keeps no place for who goes when the turn comes (%i)',
	async (moment) => {
		const semaphore = new Semaphore(1);
		const works = new Works();
		const first = semaphore.inTurn(never, works.named('first'));
		const impatient = new AbortController();
		const going = semaphore.inTurn(impatient.signal, works.named('going')).catch(() => 'gone');
		await settled();
		const ended = works.end('first');
		for (let passed = 0; passed < moment; passed++) await Promise.resolve();
		impatient.abort(new Error('too late'));
		await ended;
		await works.end('going');
		await Promise.all([first, going]);

		const results = ['a', 'b'].map((name) => semaphore.inTurn(never, works.named(name)));
		await settled();
		expect(works.begun.at(-1)).toBe('a');
		await works.end('a');
		await works.end('b');
		expect(await Promise.all(results)).toEqual(['a', 'b']);
	},
);
