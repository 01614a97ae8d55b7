import fc from 'fast-check';

import { condense, withoutNoise } from '../../nodes/BrowserAutomation/service/condense';
import type { JsonObject, JsonValue } from '../../nodes/BrowserAutomation/service/json';

const rows = (count: number): JsonObject[] =>
	Array.from({ length: count }, (_, index) => ({ index, text: 'x'.repeat(100) }));

describe('an answer to an agent', () => {
	it('is without nulls and steps', () => {
		expect(
			withoutNoise({
				a: null,
				steps: [{ id: '1' }],
				b: { c: null, d: [null, { e: null }] },
				f: '',
			}),
		).toEqual({ b: { d: [null, {}] }, f: '' });
	});

	it('is left alone when it is short', () => {
		expect(condense(rows(3), 10_000)).toEqual({ value: rows(3), cuts: [] });
	});

	it('keeps the first items that fit', () => {
		const { value, cuts } = condense(rows(100), 2_000);
		expect(value).toEqual(rows(value.length));
		expect(value.length).toBeGreaterThan(10);
		expect(cuts).toEqual([`${value.length} of 100 items`]);
	});

	it('keeps what is short of a run, and as much of its output as fits', () => {
		const run = { task_id: '1', status: 'finished', output: rows(100), log: 'y'.repeat(3_000) };
		const { value, cuts } = condense([run], 3_000);
		expect(value[0]).toMatchObject({ task_id: '1', status: 'finished' });
		expect(cuts).toEqual([
			expect.stringMatching(/^log: \d+ of 3000 characters$/),
			expect.stringMatching(/^output: \d+ of 100 items$/),
		]);
	});

	it('cuts a single row that is too long', () => {
		const { value, cuts } = condense([{ a: 'z'.repeat(5_000) }, { a: 'z' }], 1_000);
		expect(JSON.stringify(value).length).toBeLessThanOrEqual(1_000);
		expect(cuts).toEqual(['1 of 2 items', expect.stringMatching(/^item 1\.a: \d+ of 5000/)]);
	});

	it('cuts a text whose beginning takes the most room no longer than it may be', () => {
		const text = `${'\ud800'.repeat(300)}${'x'.repeat(3_000)}`;
		const { value } = condense([{ a: text }], 1_000);
		expect(JSON.stringify(value).length).toBeLessThanOrEqual(1_000);
		expect(String(value[0]?.a).length).toBeGreaterThan(100);
	});

	it('names no more places than are worth reading, in no more words', () => {
		const long = Array.from({ length: 900 }, (_, index): [string, JsonValue] => [
			`${'n'.repeat(200)}${index}`,
			'x'.repeat(500),
		]);
		const { cuts } = condense([Object.fromEntries(long)], 400_000);
		expect(cuts.at(-1)).toMatch(/^and \d+ more places$/);
		expect(JSON.stringify(cuts).length).toBeLessThan(3_000);
	});

	it('is never longer than it may be', () => {
		const json: fc.Arbitrary<JsonValue> = fc
			.jsonValue({ maxDepth: 4, stringUnit: 'binary' })
			.map((value) => JSON.parse(JSON.stringify(value)));
		const items = fc.array(fc.dictionary(fc.string({ maxLength: 5 }), json, { maxKeys: 8 }), {
			maxLength: 8,
		});
		fc.assert(
			fc.property(items, fc.integer({ min: 100, max: 2_000 }), (list, most) => {
				const input: JsonObject[] = JSON.parse(JSON.stringify(list));
				const { value, cuts } = condense(input, most);
				const size = JSON.stringify(value).length;
				expect(size).toBeLessThanOrEqual(Math.max(most, JSON.stringify([{}]).length));
				expect(cuts.length === 0).toBe(size === JSON.stringify(input).length);
			}),
		);
	});
});
