import { rowsTable } from '../../dev/demo/table';

const words = (line: string | undefined) => line?.match(/[\w.]+/g);

describe('the table of rows', () => {
	it('has a column for every field of any row, in order of appearance', () => {
		const lamp = { title: 'Lamp', price: 20.5 };
		const table = rowsTable([lamp, { title: 'Desk', stock: true }], 80);

		const [, head, , first, second] = table.split('\n');
		expect(words(head)).toEqual(['title', 'price', 'stock']);
		expect(words(first)).toEqual(['Lamp', '20.5']);
		expect(words(second)).toEqual(['Desk', 'true']);
	});

	it('shows a value in one line of at most 40 characters', () => {
		const table = rowsTable([{ text: `one\ntwo ${'x'.repeat(100)}` }], 200);

		expect(table).toContain(`one two ${'x'.repeat(31)}…`);
	});

	it('makes only the widest columns narrower where there is little room', () => {
		const long = 'x'.repeat(100);
		const table = rowsTable([{ name: 'a short name', one: long, two: long }], 60);

		expect(Math.max(...table.split('\n').map((line) => line.length))).toBe(60);
		expect(table).toContain('a short name');
	});

	it('shows lists and objects as JSON', () => {
		expect(rowsTable([{ tags: ['a', 'b'] }], 80)).toContain('["a","b"]');
	});
});
