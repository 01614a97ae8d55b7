import { InputError } from '../../../nodes/BrowserAutomation/service/errors';
import { toInputPairs } from '../../../nodes/BrowserAutomation/service/schema/inputPairs';

describe('inputs of a V2 task', () => {
	it('become text, whatever they are, and keep the spaces that the workflow’s author has put around a name', () => {
		const inputs = { ' text ': ' a ', number: 1.5, no: false, list: [1, 'b'] };
		const text = { ' text ': ' a ', number: '1.5', no: 'false', list: '[1,"b"]' };
		const pairs = Object.entries(text).map(([name, value]) => ({ name, value }));
		expect(toInputPairs(inputs, 'Inputs')).toEqual(pairs);
	});

	it('may come as a list of names and values', () => {
		const given = [7, 'ASIN', 'ASIN'].map((name, value) => ({ name, value }));
		const read = ['7', 'ASIN', 'ASIN'].map((name, value) => ({ name, value: String(value) }));
		expect(toInputPairs(given, 'Inputs')).toEqual(read);
	});

	it('are left out where they have no value, or are an empty row', () => {
		expect(toInputPairs([{ name: null, value: '' }, { name: 'b' }], 'Inputs')).toEqual([]);
		expect(toInputPairs({ a: '', b: null }, 'Inputs')).toEqual([{ name: 'a', value: '' }]);
	});

	it.each([['text'], [3], [true], [['text']], [[{ value: 'b' }]], [[null]]])(
		'cannot be %j',
		(inputs) => {
			expect(() => toInputPairs(inputs, 'Inputs')).toThrow(InputError);
		},
	);

	it('need a name', () => {
		expect(() => toInputPairs([{ name: ' ', value: 'b' }], 'Inputs')).toThrow(/no name/);
		expect(() => toInputPairs({ '': 'b' }, 'Inputs')).toThrow(/no name/);
	});
});
