import { EventEmitter, once } from 'node:events';

import { inTurn } from '../../nodes/BrowserAutomation/triggers/triggerState';

const NO_LIMIT = new AbortController().signal;

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
			return { value: name };
		};
	const first = inTurn('a', NO_LIMIT, work('first', true));
	const second = inTurn('a', NO_LIMIT, work('second'));
	const third = inTurn('a', NO_LIMIT, work('third'));
	const other = inTurn('b', NO_LIMIT, work('other'));
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
	expect(await inTurn('a', NO_LIMIT, work('later'))).toBe('later');
});

it('work waits for all earlier work of its key, also when some of that is done', async () => {
	const log: string[] = [];
	const ends: Array<() => void> = [];
	const work = (name: string) => async () => {
		log.push(name);
		await new Promise<void>((resolve) => ends.push(resolve));
		return { value: name };
	};
	const first = inTurn('c', NO_LIMIT, work('first'));
	const second = inTurn('c', NO_LIMIT, work('second'));
	ends[0]?.();
	await first;
	await tick();
	const third = inTurn('c', NO_LIMIT, work('third'));
	await tick();
	expect(log).toEqual(['first', 'second']);
	ends[1]?.();
	await second;
	await tick();
	expect(log).toEqual(['first', 'second', 'third']);
	ends[2]?.();
	await third;
});

it('the next turn begins when what the one before has left is over, too', async () => {
	const log: string[] = [];
	const left = new EventEmitter();
	const settled = once(left, 'over');
	expect(
		await inTurn('d', NO_LIMIT, async () => await Promise.resolve({ value: 'first', settled })),
	).toBe('first');
	const second = inTurn('d', NO_LIMIT, async () => {
		log.push('second');
		return await Promise.resolve({ value: 'second' });
	});
	await tick();
	expect(log).toEqual([]);
	left.emit('over');
	expect(await second).toBe('second');
});

it('work that has waited for its turn until its limit is not done any more', async () => {
	const log: string[] = [];
	const left = new EventEmitter();
	const settled = once(left, 'over');
	const limit = new AbortController();
	await inTurn('e', NO_LIMIT, async () => await Promise.resolve({ value: 'first', settled }));
	const second = inTurn('e', limit.signal, async () => {
		log.push('second');
		return await Promise.resolve({ value: 'second' });
	});
	limit.abort(new Error('too late'));

	await expect(second).rejects.toThrow('too late');
	left.emit('over');
	await tick();
	expect(log).toEqual([]);
	expect(await inTurn('e', NO_LIMIT, async () => await Promise.resolve({ value: 'third' }))).toBe(
		'third',
	);
});
