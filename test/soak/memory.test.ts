import { floorOf, slopeOf, type Sample } from '../../tools/soak/memory';

/** Ten minutes of a heap that fills by 90 MB and is collected, six times a minute. */
function sawTooth(risePerMinute: number): Sample[] {
	return Array.from({ length: 600 }, (_, second) => ({
		minute: second / 60,
		resident: 500,
		heap: 200 + (second % 10) * 10 + Math.floor(second / 60) * risePerMinute,
	}));
}

test('what garbage collection takes back is no rise', () => {
	expect(floorOf(sawTooth(0), 'heap').map(([, floor]) => floor)).toEqual(Array(10).fill(200));
	expect(slopeOf(sawTooth(0), 'heap')).toBeCloseTo(0);
});

test('what it leaves each minute is one', () => {
	expect(slopeOf(sawTooth(3), 'heap')).toBeCloseTo(3);
	expect(slopeOf(sawTooth(3), 'resident')).toBeCloseTo(0);
});

test('two minutes tell nothing', () => {
	const short = sawTooth(3).filter(({ minute }) => minute < 2);
	expect(slopeOf(short, 'heap')).toBeUndefined();
});
