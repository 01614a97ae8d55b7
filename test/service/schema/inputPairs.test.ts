import { InputError } from '../../../nodes/BrowserAutomation/service/errors';
import { toInputPairs } from '../../../nodes/BrowserAutomation/service/schema/inputPairs';

describe('inputs of a V2 task', () => {
	it('become text, whatever they are', () => {
		const inputs = { text: ' a ', number: 1.5, no: false, list: [1, 'b'], object: { a: null } };
		const text = { text: ' a ', number: '1.5', no: 'false', list: '[1,"b"]', object: '{"a":null}' };
		const pairs = Object.entries(text).map(([name, value]) => ({ name, value }));
		expect(toInputPairs(inputs, 'Inputs')).toEqual(pairs);
	});

	it('may come as a list of names and values', () => {
		const given = [
			{ name: 'ASIN', value: 1 },
			{ name: 7, value: 'b' },
			{ name: 'ASIN', value: 'c' },
		];
		const read = [
			{ name: 'ASIN', value: '1' },
			{ name: '7', value: 'b' },
			{ name: 'ASIN', value: 'c' },
		];
		expect(toInputPairs(given, 'Inputs')).toEqual(read);
	});

	it('are left out where they have no value, or are an empty row', () => {
		expect(toInputPairs({ a: null }, 'Inputs')).toEqual([]);
		expect(toInputPairs([{ name: '', value: '' }, { name: 'b' }], 'Inputs')).toEqual([]);
		expect(toInputPairs([{ name: null, value: '' }], 'Inputs')).toEqual([]);
		expect(toInputPairs({ a: '' }, 'Inputs')).toEqual([{ name: 'a', value: '' }]);
	});

	it.each([['text'], [3], [true], [['text']], [[{ value: 'b' }]], [[null]]])(
		'cannot be %j',
		(inputs) => {
			expect(() => toInputPairs(inputs, 'Inputs')).toThrow(InputError);
		},
	);

	it('keep the spaces that the workflow’s author has put around a name', () => {
		expect(toInputPairs({ ' a ': 'b' }, 'Inputs')).toEqual([{ name: ' a ', value: 'b' }]);
	});

	it('need a name', () => {
		expect(() => toInputPairs([{ name: ' ', value: 'b' }], 'Inputs')).toThrow(/no name/);
		expect(() => toInputPairs({ '': 'b' }, 'Inputs')).toThrow(/no name/);
	});
});
