import type { FunctionsBase, INodeProperties, INodePropertyOptions } from 'n8n-workflow';

import { chosenValue, type Field } from '../../nodes/BrowserAutomation/fields/field';
import { toProperties } from '../../nodes/BrowserAutomation/fields/fieldBuilders';
import { markdownOf } from './markdown';

/** What the editor's types of parameters are called. */
const TYPES: Partial<Record<INodeProperties['type'], string>> = {
	boolean: 'switch',
	dateTime: 'date and time',
	fixedCollection: 'names and values',
	json: 'JSON',
	multiOptions: 'several choices',
	number: 'number',
	options: 'choice',
	resourceLocator: 'from a list, or an ID',
	resourceMapper: 'form',
	string: 'text',
};

/** Nothing of n8n: what is read here is the same in any workflow. */
const NO_WORKFLOW: FunctionsBase = Object({});

/** Longer than any text that a field may limit. */
const LONG_TEXT = 'x'.repeat(100_000);

/** How the editor shows a field, and how it is read. */
interface Entry {
	property: INodeProperties;
	/** The collection that it stands in. */
	within?: INodeProperties;
	field: Field<unknown>;
}

/** The columns of a table of fields. */
export const FIELD_COLUMNS = ['Field', 'Type', 'Default', 'What it is'];

/** A row of a table of fields: its cells as Markdown. */
export type FieldRow = string[];

/**
 * A row for each thing that a user fills in.
 *
 * @param fields what the parameters are made of, and how an option is read that was not added
 */
export function fieldRows(fields: ReadonlyArray<Field<unknown>>): FieldRow[] {
	const properties = toProperties(fields);
	const fieldOf = ({ name }: INodeProperties): Field<unknown> => {
		const field = fields.find((candidate) => candidate.name === name);
		if (field === undefined) throw new Error(`No field is called ${name}.`);
		return field;
	};
	const entries = properties.flatMap((property): Entry[] =>
		property.type === 'collection'
			? (property.options ?? [])
					.filter(isProperty)
					.map((member) => ({ property: member, within: property, field: fieldOf(member) }))
			: [{ property, field: fieldOf(property) }],
	);
	return entries
		.filter(({ property }) => property.type !== 'notice')
		.map((entry) => [
			nameOf(entry),
			typeOf(entry),
			defaultOf(entry),
			descriptionOf(entry, entries),
		]);
}

type Option = NonNullable<INodeProperties['options']>[number];

function isProperty(option: Option): option is INodeProperties {
	return 'type' in option;
}

function isChoice(option: Option): option is INodePropertyOptions {
	return 'value' in option;
}

function nameOf({ property, within }: Entry): string {
	const name = `**${property.displayName}**`;
	return within === undefined ? name : `${within.displayName} > ${name}`;
}

function typeOf({ property, field }: Entry): string {
	const { minValue, maxValue } = property.typeOptions ?? {};
	const [from, to] = [minValue, maxValue].map((limit) => limit?.toLocaleString('en'));
	return [
		TYPES[property.type] ?? property.type,
		property.required === true ? 'required' : undefined,
		from !== undefined && to !== undefined ? `${from} to ${to}` : undefined,
		from !== undefined && to === undefined ? `from ${from}` : undefined,
		property.type === 'string' ? lengthLimit(field) : undefined,
	]
		.filter((part) => part !== undefined)
		.join(', ');
}

/** What the field itself says about a text that is too long. */
function lengthLimit(field: Field<unknown>): string | undefined {
	try {
		field.read(LONG_TEXT, NO_WORKFLOW);
		return undefined;
	} catch (error) {
		const [, limit] = /longer than ([\d,]+ characters)/.exec(String(error)) ?? [];
		return limit === undefined ? undefined : `at most ${limit}`;
	}
}

/** What counts while the user has done nothing: for an option, while it is not added. */
function defaultOf({ property, within, field }: Entry): string {
	const read = (raw: unknown): unknown => field.read(raw, NO_WORKFLOW);
	const beginning = chosenValue(property.default);
	const isShown = within === undefined || read(undefined) === read(beginning);
	const value = isShown ? beginning : read(undefined);
	if (typeof value === 'boolean') return switchName(value);
	if (value === Infinity) return 'no limit';
	if (Array.isArray(value) && value.length > 0) {
		return value.map((each) => choiceName(property, each)).join(', ');
	}
	if (typeof value === 'number') return value.toLocaleString('en');
	if (typeof value !== 'string' || value === '') return '–';
	return property.type === 'options' ? choiceName(property, value) : `\`${value}\``;
}

function choiceName({ options }: INodeProperties, value: unknown): string {
	const choice = (options ?? []).filter(isChoice).find((each) => each.value === value);
	return choice?.name ?? String(value);
}

function descriptionOf({ property }: Entry, entries: readonly Entry[]): string {
	const { description = '', hint = '', placeholder = '' } = property;
	const members = membersOf(property).map(({ displayName }) => `_${displayName}_`);
	return [
		conditionOf(property, entries),
		markdownOf(description),
		choicesOf(property),
		members.join(', '),
		...[hint, placeholder].map(exampleOf),
	]
		.filter((text) => text !== '')
		.map((text) => (/[.!?…]$/.test(text) ? text : `${text}.`))
		.join(' ');
}

function choicesOf(property: INodeProperties): string {
	const choices = (property.options ?? []).filter(isChoice);
	if (choices.every(({ description }) => description === undefined)) {
		return choices.map(({ name }) => `_${name}_`).join(', ');
	}
	return choices
		.map(({ name, description }) =>
			(description === undefined ? `_${name}_` : `_${name}_: ${description}`).replace(/\.$/, ''),
		)
		.join('; ');
}

/** `e.g. title, price` -> ``Example: `title, price` ``; other texts stay, and those of buttons go. */
function exampleOf(text: string): string {
	const [, example] = /^e\.g\. (.+)$/.exec(text) ?? [];
	if (example !== undefined) return `Example: \`${example}\``;
	return text.startsWith('Add ') ? '' : markdownOf(text);
}

/** What each entry of a list of names and values has. */
function membersOf({ type, options }: INodeProperties): INodeProperties[] {
	if (type !== 'fixedCollection') return [];
	return (options ?? []).flatMap((group) => ('values' in group ? group.values : []));
}

function conditionOf({ displayOptions }: INodeProperties, entries: readonly Entry[]): string {
	const conditions = Object.entries(displayOptions?.show ?? {}).map(([name, values = []]) => {
		const other = entries.find(({ property }) => property.name === name.replace(/^\//, ''));
		if (other === undefined) throw new Error(`${name} is no parameter here.`);
		const wanted = values.map((value) =>
			typeof value === 'boolean' ? switchName(value) : choiceName(other.property, value),
		);
		return `_${other.property.displayName}_ is ${wanted.join(' or ')}`;
	});
	return conditions.length === 0 ? '' : `Only where ${conditions.join(' and ')}`;
}

function switchName(on: boolean): string {
	return on ? 'on' : 'off';
}
