import fc, { type Arbitrary } from 'fast-check';

/** Text of parts that a reader may stumble over, some of them very often. */
export function textOf(parts: string[], maxTimes = 3_000): Arbitrary<string> {
	const part = fc.oneof(
		{ arbitrary: fc.constantFrom(...parts), weight: 6 },
		{ arbitrary: fc.string({ unit: 'binary', maxLength: 8 }), weight: 1 },
	);
	const often = fc.tuple(part, fc.integer({ min: 2, max: maxTimes }));
	const piece = fc.oneof(
		{ arbitrary: part, weight: 12 },
		{ arbitrary: often.map(([repeated, times]) => repeated.repeat(times)), weight: 1 },
	);
	return fc.array(piece, { maxLength: 24 }).map((pieces) => pieces.join(''));
}
