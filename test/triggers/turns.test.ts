import { inTurn } from '../../nodes/BrowserAutomation/triggers/turns';

const tick = async () => await new Promise(setImmediate);

it('work of one key is done one after the other, also after a failure; of another key meanwhile', async () => {
	const log: string[] = [];
	const work =
		(name: string, fails = false) =>
		async () => {
			log.push(`${name} begins`);
			await tick();
			log.push(`${name} ends`);
			if (fails) throw new Error(name);
			return name;
		};
	const first = inTurn('a', work('first', true));
	const second = inTurn('a', work('second'));
	const third = inTurn('a', work('third'));
	const other = inTurn('b', work('other'));
	await expect(first).rejects.toThrow('first');
	expect(await Promise.all([second, third, other])).toEqual(['second', 'third', 'other']);
	expect(log.filter((line) => !line.startsWith('other'))).toEqual([
		'first begins',
		'first ends',
		'second begins',
		'second ends',
		'third begins',
		'third ends',
	]);
	expect(log.indexOf('other begins')).toBe(1);
	expect(await inTurn('a', work('later'))).toBe('later');
});

it('work waits for all earlier work of its key, also when some of that is done', async () => {
	const log: string[] = [];
	const ends: Array<() => void> = [];
	const work = (name: string) => async (): Promise<void> => {
		log.push(name);
		await new Promise<void>((resolve) => ends.push(resolve));
	};
	const first = inTurn('c', work('first'));
	const second = inTurn('c', work('second'));
	ends[0]?.();
	await first;
	const third = inTurn('c', work('third'));
	await tick();
	expect(log).toEqual(['first', 'second']);
	ends[1]?.();
	await second;
	await tick();
	expect(log).toEqual(['first', 'second', 'third']);
	ends[2]?.();
	await third;
});
