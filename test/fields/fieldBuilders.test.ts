import { text, toProperties } from '../../nodes/BrowserAutomation/fields/fieldBuilders';

describe('the editor shows', () => {
	const named = (name: string, further = {}) =>
		text(name, name.toUpperCase(), { read: String, ...further });
	const shown = (name: string) => ({
		name,
		displayName: name.toUpperCase(),
		type: 'string',
		default: '',
	});

	it('fields that stand alone, then each group by the names of its options, each where it is meant', () => {
		const fields = [
			named('d', { under: 'options' }),
			named('c', { under: 'options', showWhen: { a: ['1'] } }),
			named('b', { under: 'filters' }),
			named('e', { under: 'waiting' }),
			named('waitForCompletion', { showWhen: { nowhere: ['1'] } }),
			named('f', { under: 'outputOptions' }),
			named('x', {}),
			named('a', { showWhen: { x: ['1'] }, hideWhen: { y: ['2'] } }),
		];
		const show = { resource: ['bot'] };
		const collection = { type: 'collection', default: {}, displayOptions: { show } };

		const waits = { show: { ...show, waitForCompletion: ['automatic', 'poll'] } };
		expect(toProperties(fields, show)).toMatchObject([
			{ ...shown('waitForCompletion'), displayOptions: { show } },
			shown('x'),
			{ ...shown('a'), displayOptions: { show: { ...show, x: ['1'] }, hide: { y: ['2'] } } },
			{ ...collection, name: 'filters', options: [shown('b')] },
			{ ...collection, name: 'outputOptions', options: [shown('f')], displayOptions: waits },
			{ ...collection, name: 'waiting', options: [shown('e')], displayOptions: waits },
			{
				...collection,
				name: 'options',
				options: [{ ...shown('c'), displayOptions: { show: { a: ['1'] } } }, shown('d')],
			},
		]);
	});
});

it('options stand in the order of their letters, in upper or lower case', () => {
	const names = ['proxy', 'Bot', 'API Key', 'bots', 'Proxy', 'bot'];
	const fields = names.map((name) => text(name, name, { read: String, under: 'options' }));
	const inOrder = ['API Key', 'Bot', 'bot', 'bots', 'proxy', 'Proxy'];
	expect(toProperties(fields)).toMatchObject([{ options: inOrder.map((name) => ({ name })) }]);
});
