import fc from 'fast-check';

import { condense, withoutNoise } from '../../../nodes/BrowserAutomation/service/json/condense';
import type { JsonObject, JsonValue } from '../../../nodes/BrowserAutomation/service/json/json';
import { character } from '../../randomValues';

const rows = (count: number): JsonObject[] =>
	Array.from({ length: count }, (_, index) => ({ index, text: 'x'.repeat(100) }));

describe('an answer to an agent', () => {
	it('is without nulls and steps', () => {
		const noisy = {
			a: null,
			steps: [{ id: '1', step_goal: 'Open' }],
			b: { c: null, d: [null, { e: null }] },
			f: '',
		};
		expect(withoutNoise(noisy)).toEqual({ b: { d: [null, {}] }, f: '' });
	});

	it('keeps steps that are no steps of a run, e.g. of a recipe', () => {
		const recipes = [{ steps: ['Mix', 'Bake'] }, { output: { steps: [{ id: 1, text: 'Mix' }] } }];
		expect(withoutNoise(recipes)).toEqual(recipes);
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
		const { cuts } = condense([{ a: 'z'.repeat(5_000) }, { a: 'z' }], 1_000);
		expect(cuts).toEqual(['1 of 2 items', expect.stringMatching(/^item 1\.a: \d+ of 5000/)]);
	});

	it('cuts a text whose beginning takes the most room no longer than it may be', () => {
		const text = `${'\ud800'.repeat(300)}${'x'.repeat(3_000)}`;
		const { value } = condense([{ a: text }], 1_000);
		expect(JSON.stringify(value).length).toBeLessThanOrEqual(1_000);
		expect(String(value[0]?.a).length).toBeGreaterThan(100);
	});

	it.each([
		[25, 3],
		[24, 2],
		[17, 2],
		[16, 1],
	])('of %i characters has as many items as fit: %i', (max, count) => {
		const items = [{ a: 1 }, { a: 2 }, { a: 3 }];
		const cuts = count === 3 ? [] : [`${count} of 3 items`];
		expect(condense(items, max)).toEqual({ value: items.slice(0, count), cuts });
	});

	it('has the beginning of a list’s first element where not even that fits', () => {
		const { value, cuts } = condense([{ output: ['x'.repeat(500), 'y'] }], 200);
		expect(value).toEqual([{ output: [expect.stringMatching(/^x{100,180}…$/)] }]);
		expect(cuts).toEqual([
			'output: 1 of 2 items',
			expect.stringMatching(/^output item 1: \d+ of 500/),
		]);
		expect(condense([{ output: ['x'.repeat(500)] }], 200).cuts).toHaveLength(1);
	});

	it('uses its room: what short members leave over goes to the long ones', () => {
		const { value } = condense([{ a: 'x'.repeat(3_000), b: 'y'.repeat(3_000), c: 'short' }], 2_000);
		const [{ a, b, c } = {}] = value;
		expect(c).toBe('short');
		for (const long of [a, b]) expect(String(long).length).toBeGreaterThan(900);
	});

	it('keeps short members, and says how many fields it has not', () => {
		const short = Array.from({ length: 20 }, (_, index): [string, JsonValue] => [`${index}`, 1]);
		const one = { ...Object.fromEntries(short), long: 'x'.repeat(1_000) };
		expect(condense([one], 350).value[0]).toMatchObject(Object.fromEntries(short));

		const long = short.map(([name]): [string, JsonValue] => [name, 'x'.repeat(500)]);
		const { value, cuts } = condense([Object.fromEntries(long)], 300);
		expect(cuts.at(-1)).toBe(`${Object.keys(value[0] ?? {}).length} of 20 fields`);
	});

	it('names twenty places, each by eighty characters at most', () => {
		const cutsOf = (names: string[]): string[] => {
			const members = names.map((name) => [name, 'x'.repeat(900)]);
			return condense([Object.fromEntries(members)], 500 * names.length).cuts;
		};
		const many = Array.from({ length: 21 }, (_, index) => `n${index}`);
		expect(cutsOf(many.slice(0, 20))).toHaveLength(20);
		expect(cutsOf(many).slice(20)).toEqual(['and 1 more places']);
		expect(cutsOf(['n'.repeat(80)])[0]).toMatch(/^n{80}: /);
		expect(cutsOf(['n'.repeat(81)])[0]).toMatch(/^n{80}…: /);
	});

	it('is never longer than it may be', () => {
		const json: fc.Arbitrary<JsonValue> = fc
			.jsonValue({ maxDepth: 4, stringUnit: character })
			.map((value) => JSON.parse(JSON.stringify(value)));
		const items = fc.array(fc.dictionary(fc.string({ maxLength: 5 }), json, { maxKeys: 8 }), {
			maxLength: 8,
		});
		fc.assert(
			fc.property(items, fc.integer({ min: 100, max: 2_000 }), (list, max) => {
				const input: JsonObject[] = JSON.parse(JSON.stringify(list));
				const { value, cuts } = condense(input, max);
				const size = JSON.stringify(value).length;
				expect(size).toBeLessThanOrEqual(Math.max(max, JSON.stringify([{}]).length));
				expect(cuts.length === 0).toBe(size === JSON.stringify(input).length);
			}),
		);
	});
});
