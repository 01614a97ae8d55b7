import { Semaphore } from '../../nodes/BrowserAutomation/transport/semaphore';

const settled = async (): Promise<void> => await new Promise((resolve) => setImmediate(resolve));

const never = new AbortController().signal;

/** Work in turn that notes when it begins, and ends when it is told to. */
class Works {
	readonly begun: string[] = [];
	private readonly ends = new Map<string, () => void>();

	constructor(private readonly semaphore = new Semaphore(1)) {}

	async begin(name: string, signal: AbortSignal | undefined = never): Promise<string> {
		return await this.semaphore.inTurn(async () => {
			this.begun.push(name);
			await new Promise<void>((resolve) => this.ends.set(name, resolve));
			return name;
		}, signal);
	}

	async end(...names: string[]): Promise<void> {
		for (const name of names) {
			this.ends.get(name)?.();
			await settled();
		}
	}

	async expectOnePlace(): Promise<void> {
		const results = ['a', 'b'].map(async (name) => await this.begin(name));
		await settled();
		expect(this.begun.at(-1)).toBe('a');
		await this.end('a', 'b');
		expect(await Promise.all(results)).toEqual(['a', 'b']);
	}
}

it('lets so many in at once, and the others in the order in which they came', async () => {
	const works = new Works(new Semaphore(2));
	const names = ['a', 'b', 'c', 'd'];
	const results = names.map(async (name) => await works.begin(name, undefined));
	await settled();
	expect(works.begun).toEqual(['a', 'b']);
	await works.end('b');
	expect(works.begun).toEqual(['a', 'b', 'c']);
	await works.end('a', 'c', 'd');
	expect(await Promise.all(results)).toEqual(names);
});

it('has as many places afterwards as before, also where work has failed', async () => {
	const semaphore = new Semaphore(1);
	const failing = async (): Promise<never> => await Promise.reject(new Error('failed'));
	await expect(semaphore.inTurn(failing, never)).rejects.toThrow('failed');
	await new Works(semaphore).expectOnePlace();
});

it.each(Array.from({ length: 12 }, (_, moment) => moment))(
	'keeps no place for who goes before the turn comes, or just then (%i)',
	async (moment) => {
		const works = new Works();
		const impatient = new AbortController();
		const first = works.begin('first');
		const going = works.begin('going', impatient.signal).catch(() => 'gone');
		await settled();
		const ended = works.end('first');
		for (let passed = 0; passed < moment; passed++) await Promise.resolve();
		impatient.abort(new Error('too late'));
		await ended;
		await works.end('going');
		await Promise.all([first, going]);
		await works.expectOnePlace();
	},
);
