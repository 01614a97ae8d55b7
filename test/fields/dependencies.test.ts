import type { Field } from '../../nodes/BrowserAutomation/fields/field';
import {
	CALLBACK_TRIGGER_FIELDS,
	EVENTS,
	POLLING,
} from '../../nodes/BrowserAutomation/fields/triggers';
import { nodeOperations } from '../contract/operations';

/** The fields of each operation, and of each trigger. */
const PLACES = [
	...nodeOperations.map(({ operation }) => operation.fields),
	CALLBACK_TRIGGER_FIELDS,
	POLLING.fields,
];

function methodOf({ parameter: { typeOptions } }: Field<unknown>): string | undefined {
	return typeOptions?.resourceMapper?.resourceMapperMethod ?? typeOptions?.loadOptionsMethod;
}

/** What makes a method of the editor ask anew, in each place that it is asked for. */
function dependenciesOf(method: string, places = PLACES) {
	return places.flatMap((fields) =>
		fields
			.filter((field) => methodOf(field) === method)
			.map(({ parameter }) => ({ fields, names: parameter.typeOptions?.loadOptionsDependsOn })),
	);
}

it.each([
	['the input form', 'getInputFields'],
	['the example of the input', 'getInputExample'],
	['the list of the output’s fields', 'getOutputFields'],
	['the list of fields to compare rows by', 'getRowFields'],
])('%s is made anew when another bot, run, template or workflow is chosen', (_, method) => {
	const found = dependenciesOf(method);
	expect(found).not.toEqual([]);
	for (const { fields, names } of found) {
		const chosen = fields.filter(
			({ under, parameter }) => under === undefined && parameter.type === 'resourceLocator',
		);
		expect(names).toEqual(expect.arrayContaining(chosen.map(({ name }) => `${name}.value`)));
	}
});

it('a trigger’s list of the output’s fields is made anew when its events are those of another bot', () => {
	const filters = EVENTS.fields.filter(({ under }) => under === 'filters');
	expect(dependenciesOf('getOutputFields', [EVENTS.fields])).toMatchObject([
		{ names: expect.arrayContaining(filters.map(({ name }) => `filters.${name}.value`)) },
	]);
});
