import { TtlCache } from '../../nodes/BrowserAutomation/service/ttlCache';

const soon = () => Date.now() + 60_000;

it('keeps a value until its time is over', () => {
	const kept = new TtlCache<string>(10);
	kept.set('a', 'now', soon());
	kept.set('b', 'before', Date.now() - 1);

	expect(kept.get('a')).toBe('now');
	expect(kept.get('b')).toBeUndefined();
	kept.delete('a');
	expect(kept.get('a')).toBeUndefined();
});

it('drops the oldest when there are too many; a value that is set again is a new one', () => {
	const kept = new TtlCache<number>(2);
	kept.set('a', 1, soon());
	kept.set('b', 2, soon());
	kept.set('a', 3, soon());
	kept.set('c', 4, soon());

	expect(['a', 'b', 'c'].map((key) => kept.get(key))).toEqual([3, undefined, 4]);
});
