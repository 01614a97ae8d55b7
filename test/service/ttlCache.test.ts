import { TtlCache } from '../../nodes/BrowserAutomation/service/ttlCache';

const soon = () => Date.now() + 60_000;

it('drops the oldest when there are too many; a value that is set again is a new one', () => {
	const kept = new TtlCache<number>(2);
	kept.set('a', 1, soon());
	kept.set('b', 2, soon());
	expect(kept.values()).toEqual([1, 2]);
	kept.set('a', 3, soon());
	kept.set('c', 4, soon());

	expect(['a', 'b', 'c'].map((key) => kept.get(key))).toEqual([3, undefined, 4]);
});

it('lets go of what is over within a minute, as other things are kept, also where an older one is not', () => {
	jest.useFakeTimers({ now: 1_000 });
	const kept = new TtlCache<number>(10);
	kept.set('a', 1, Infinity);
	kept.set('b', 2, 2_000);
	jest.setSystemTime(61_000);
	kept.set('c', 3, Infinity);
	expect(kept).toHaveProperty('kept.size', 2);
	jest.useRealTimers();
});

it('forgets at the very moment that was given, and drops what is over before what is not, however old', () => {
	jest.useFakeTimers({ now: 1_000 });
	const kept = new TtlCache<number>(2);
	kept.set('a', 1, Infinity);
	kept.set('b', 2, 2_000);
	jest.setSystemTime(1_999);
	expect([kept.get('b'), kept.values()]).toEqual([2, [1, 2]]);
	jest.setSystemTime(2_000);
	expect([kept.get('b'), kept.values()]).toEqual([undefined, [1]]);
	kept.set('c', 3, Infinity);
	expect(kept.values()).toEqual([1, 3]);
	jest.useRealTimers();
});

it('makes a value once, and keeps it as the newest', () => {
	const kept = new TtlCache<{ made: number }>(2);
	let made = 0;
	const make = () => ({ made: ++made });
	const first = kept.getOrMake('a', make, Infinity);
	kept.getOrMake('b', make, Infinity);
	expect(kept.getOrMake('a', make, Infinity)).toBe(first);
	kept.getOrMake('c', make, Infinity);

	expect(kept.get('a')).toBe(first);
	expect(kept.get('b')).toBeUndefined();
	expect(made).toBe(3);
});
