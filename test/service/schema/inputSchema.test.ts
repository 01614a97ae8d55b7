import { InputError } from '../../../nodes/BrowserAutomation/service/errors';
import {
	schemaIn,
	toInput,
	unknownFields,
} from '../../../nodes/BrowserAutomation/service/schema/inputSchema';
import type { JsonObject } from '../../../nodes/BrowserAutomation/service/json/json';
import { readForm, type FieldKind } from '../../../nodes/BrowserAutomation/service/schema/form';
import { leadInput as leadInputOfSandbox } from '../../../dev/sandbox/automations/leads';

const leadInput: JsonObject = JSON.parse(JSON.stringify(leadInputOfSandbox));

const schemaOf = (properties: JsonObject, required: string[] = []): JsonObject => ({
	type: 'object',
	properties,
	required,
	additionalProperties: false,
});

/** A form that is filled in so; what the schema does not name is of these kinds. */
const filled = (
	values: Record<string, unknown>,
	kinds: Record<string, FieldKind> = {},
	required: string[] = [],
): Parameters<typeof toInput>[1] => ({
	values,
	kinds: new Map(Object.entries(kinds)),
	required: new Set(required),
	timeZone: 'Asia/Kolkata',
});

function messageOf(schema: JsonObject, json: JsonObject): string {
	try {
		toInput(schema, { json });
		return '';
	} catch (error) {
		if (error instanceof InputError) return error.message;
		throw error;
	}
}

describe('an input that does not fit', () => {
	it('has every wrong field named, in its title and its name', () => {
		const active_since = 'yesterday';
		const location = { city: 'Leeds', radius_km: -1 };
		const message = messageOf(leadInput, { active_since, location, budget: 'much', colour: 'red' });
		expect(message.split('; ')).toEqual([
			'The input does not fit: Active since (active_since) is "yesterday", not a date and time such as 2026-01-31T09:00:00Z',
			'Location (location) > radius_km is -1, less than 0',
			'Location (location) > country is missing',
			'Budget (budget) fits none of its forms: a number',
			'an object',
			'Industry (industry) is missing',
			'colour is not a known field',
			expect.stringMatching(/^known fields: industry, max_leads, /),
		]);
	});

	it('never has a password shown', () => {
		const schema = schemaOf({ password: { type: 'string', format: 'password', enum: ['x'] } });
		expect(messageOf(schema, { password: 'hunter2' })).not.toContain('hunter2');
	});

	it('is named as a whole where no field of it is wrong', () => {
		expect(messageOf({ type: 'string' }, {})).toBe(
			'The input does not fit: the input is an object, not text',
		);
	});

	it.each([
		[20, /f19 is missing$/],
		[25, /f19 is missing; and 5 more$/],
	])('has its first 20 faults named and the rest counted: of %i', (count, words) => {
		const names = Array.from({ length: count }, (_, index) => `f${index}`);
		expect(messageOf(schemaOf({}, names), {})).toMatch(words);
	});
});

it('an input that fits gets the default of a required field that was left out', () => {
	const input = { industry: 'steel', max_leads: 10 };
	expect(toInput(leadInput, { json: { industry: 'steel' } })).toEqual(input);
});

describe('a filled form', () => {
	it.each<[FieldKind, unknown, unknown]>([
		['boolean', 'true', true],
		['boolean', 'false', false],
		['boolean', 'perhaps', 'perhaps'],
		['number', '12', 12],
		['number', ' ', ' '],
		['number', 'five', 'five'],
		['number', '76520131497525123', '76520131497525123'],
		['text', { a: 1 }, '{"a":1}'],
		['text', 12, '12'],
		['text', () => 1, undefined],
		['dateTime', 'soon', 'soon'],
		['dateTime', '2026-01-31', '2026-01-30T18:30:00.000Z'],
		['list', '[1]', [1]],
		['list', 'a, b', 'a, b'],
		['list', [5], [5]],
	])('is read by its fields’ kinds where no schema is known: %s of %j', (kind, value, read) => {
		const form = filled({ it: value, left: null, missing: undefined, more: 'x' }, { it: kind });
		expect(toInput(undefined, form)).toStrictEqual({
			...(read !== undefined && { it: read }),
			more: 'x',
		});
	});

	it('has no required field that holds nothing but blanks', () => {
		const text = { type: 'string', title: 'Text' };
		const schema = schemaOf({ text, note: text, choice: { enum: [' ', 'a'] } }, ['text', 'choice']);
		const blanks = filled({ text: ' \n', note: ' ', choice: ' ' });
		expect(() => toInput(schema, blanks)).toThrow(
			/^The input does not fit: Text \(text\) is missing$/,
		);
		const withDefault = schemaOf({ text: { ...text, default: 'lamp' } }, ['text']);
		expect(toInput(withDefault, filled({ text: '  ' }))).toEqual({ text: 'lamp' });
		const stored = filled({ stored: ' ', other: ' ' }, {}, ['stored']);
		expect(() => toInput(undefined, stored)).toThrow(/^The input does not fit: stored is missing$/);
		expect(toInput(undefined, filled({ other: ' ' }))).toEqual({ other: ' ' });
	});

	it('keeps text that only looks like JSON where the schema wants text', () => {
		const schema = schemaOf({ note: { anyOf: [{ type: 'string' }, { type: 'object' }] } });
		expect(toInput(schema, filled({ note: '12' }))).toEqual({ note: '12' });
		expect(toInput(schema, filled({ note: '{"a":1}' }))).toEqual({ note: { a: 1 } });
	});

	it('gives each choice its own type', () => {
		const schema = schemaOf({ level: { enum: [1, 2, '3'] } });
		expect(toInput(schema, filled({ level: '2' }))).toEqual({ level: 2 });
		expect(toInput(schema, filled({ level: 3 }))).toEqual({ level: '3' });
		expect(() => toInput(schema, filled({ level: '7' }))).toThrow('level is "7", not one of');
	});

	it('never loses digits of a number in silence', () => {
		const digits = '12345678901234567890';
		const schema = schemaOf({
			id: { title: 'ID', anyOf: [{ type: 'string' }, { type: 'integer' }] },
			n: { anyOf: [{ type: 'boolean' }, { type: 'integer' }] },
			list: { type: 'array' },
		});
		expect(toInput(schema, filled({ id: digits }))).toEqual({ id: digits });
		const message = 'holds 12345678901234567890, which is not exact as a number';
		expect(() => toInput(schema, filled({ n: digits }))).toThrow(`n ${message}`);
		expect(() => toInput(schema, filled({ list: `[${digits}]` }))).toThrow(`list ${message}`);
		const rounded = filled({ id: 2 ** 64 });
		expect(() => toInput(schema, rounded)).toThrow('ID (id) holds 18446744073709552000');
		expect(() => toInput(undefined, rounded)).toThrow('id holds 18446744073709552000');
	});

	it('is read with the references that its fields share', () => {
		const schema = {
			...schemaOf({ a: { oneOf: [{ $ref: '#/$defs/word' }, { type: 'boolean' }] } }),
			$defs: { word: { type: 'string' } },
		};
		expect(toInput(schema, filled({ a: '12' }))).toEqual({ a: '12' });
		expect(toInput(schema, filled({ a: 'true' }))).toEqual({ a: true });
	});

	describe('with lists and objects', () => {
		const tags = { type: 'array', default: ['a'] };
		const schema = schemaOf({ tags, at: { type: 'object' }, ids: { type: 'array' } }, ['ids']);

		it('has none that was left as the form began with it', () => {
			expect(toInput(schema, filled({ at: '{ }', ids: '[]' }))).toEqual({ ids: [] });
			const untouched = { tags: '[ ]', at: '{ }', note: '{ }' };
			const form = filled(untouched, { tags: 'list', at: 'object', note: 'text' });
			expect(toInput(undefined, form)).toEqual({ note: '{ }' });
		});

		it.each([
			['[]', '{}'],
			[[], {}],
			['[\n]', '{\n}'],
		])('has each that was emptied: %j, %j', (tags, at) => {
			const input = toInput(schema, filled({ tags, at, ids: '[1]' }));
			expect(input).toEqual({ tags: [], at: {}, ids: [1] });
		});
	});

	describe('with names that can be no fields', () => {
		const names = ['', '__proto__', 'constructor', '=x', 'two\nlines', 'moreFields'];
		const text = { type: 'string', minLength: 1 };
		const odd: JsonObject = JSON.parse(
			`{${names.map((name) => `${JSON.stringify(name)}:${JSON.stringify(text)}`).join()}}`,
		);
		const values = `{${names.map((name) => `${JSON.stringify(name)}:"x"`).join()}}`;
		const schema = schemaOf({ a: text, ...odd }, ['a', '=x']);

		it('has them together as JSON, beside the others', () => {
			const input = toInput(schema, filled({ a: 'x', moreFields: values }));
			expect(JSON.stringify(input)).toBe(values.replace('{', '{"a":"x",'));
			const unread = toInput(undefined, filled({ a: 'x', moreFields: values }));
			expect(JSON.stringify(unread)).toBe(JSON.stringify(input));
		});

		it('is checked like any other', () => {
			const given = (moreFields: string) => () => toInput(schema, filled({ a: 'x', moreFields }));
			expect(given('{"constructor":""}')).toThrow('constructor is empty; =x is missing');
			expect(given('{ }')).toThrow('=x is missing');
			for (const none of ['x', '[1]']) {
				expect(given(none)).toThrow("'More fields' is not a JSON object");
			}
		});

		it('gets their defaults', () => {
			const withDefault = JSON.parse(
				'{"properties":{"__proto__":{"default":7}},"required":["__proto__"]}',
			);
			expect(JSON.stringify(toInput(withDefault, filled({})))).toBe('{"__proto__":7}');
		});
	});
});

describe('a form that was filled in before the bot’s form changed', () => {
	const terms = { search_term: { type: 'string', title: 'Search term' }, n: { minimum: 1 } };
	const asksForTerm: JsonObject = { type: 'object', properties: terms, required: ['search_term'] };
	const changed = (schema: JsonObject, values: Record<string, unknown>) => () =>
		toInput(schema, filled(values));

	it('is told what the bot does not know where that alone is refused', () => {
		expect(changed(schemaOf(terms), { keyword: 'lamp', n: 1 })).toThrow(
			"The bot’s form has changed: it no longer has 'keyword', which this node still fills in. The input",
		);
	});

	it.each([
		['a field that the form has', asksForTerm, { n: 0 }],
		['no field at all', { type: 'object', required: ['search_term'] }, { keyword: 'a' }],
	])('is not spoken of where the fault is in %s', (_, schema, values) => {
		expect(changed(schema, values)).toThrow(/^The input does not fit: /);
	});

	it('is not spoken of where the input is JSON', () => {
		expect(messageOf(asksForTerm, { keyword: 'lamp' })).toMatch(/^The input does not fit: /);
	});
});

describe('what of an input the bot may ignore', () => {
	const properties = { keyword: { type: 'string' }, constructor: {} };
	const unknown = (further: JsonObject, input: JsonObject = { keyword: 'a', pages: 2 }) =>
		unknownFields({ type: 'object', properties, ...further }, input);

	it.each<[string, JsonObject]>([
		['nothing of others', {}],
		['that others are taken', { additionalProperties: true }],
	])('are the fields that it does not name, where it says %s', (_, further) => {
		expect(unknown(further)).toEqual(['pages']);
		expect(unknown(further, { keyword: 'a', constructor: 1 })).toEqual([]);
	});

	it.each<[string, JsonObject]>([
		['what the others are', { additionalProperties: { type: 'number' } }],
		['of what pattern the others are', { patternProperties: { '^p': {} } }],
		['the others in one of several forms', { oneOf: [{ properties: { pages: {} } }] }],
		['the others in any of several forms', { anyOf: [{ properties: { pages: {} } }] }],
		['what another one asks for', { dependentSchemas: { keyword: {} } }],
		['what is asked for in a case', { if: {}, then: {} }],
		['no names', { properties: {} }],
	])('are none, where it says %s', (_, further) => {
		expect(unknown(further)).toEqual([]);
	});

	it('are none of those that its parts name', () => {
		const parts = { allOf: [{ properties: { pages: {} } }] };
		expect(unknown(parts, { keyword: 'a', pages: 2, other: 1 })).toEqual(['other']);
	});
});

describe('an input schema', () => {
	it('is found in a record, as an object or as text', () => {
		for (const input_schema of [{ type: 'object' }, '{"type":"object"}']) {
			expect(schemaIn({ input_schema })).toEqual({ type: 'object' });
		}
		for (const none of [{ input_schema: null }, { input_schema: 'none' }, undefined]) {
			expect(schemaIn(none)).toBeUndefined();
		}
	});

	it('is a form when it names its members, or is an object without any', () => {
		expect(readForm({ type: 'object' })).toEqual([]);
		const referring = { $ref: '#/$defs/a', $defs: { a: { properties: { b: true } } } };
		expect(readForm(referring)).toHaveLength(1);
		expect(readForm({ type: 'array' })).toBeUndefined();
	});

	it.each([
		...['', ' ', '\t', '=x', '__proto__', 'constructor', 'prototype'],
		...['two\nlines', 'a\rb', 'a\u2028b', 'a\u2029b'],
	])('keeps its form when a field is called %j, which is given as JSON', (name) => {
		const schema = schemaOf(JSON.parse(`{${JSON.stringify(name)}:{"type":"string"},"b":true}`));
		const label = `More fields (JSON object): ${JSON.stringify(name)}`;
		const others = { name: 'moreFields', label, kind: 'object', required: false };
		expect(readForm(schema)).toMatchObject([{ name: 'b' }, others]);
		const json: JsonObject = JSON.parse(`{${JSON.stringify(name)}:"x"}`);
		expect(JSON.stringify(toInput(schema, { json }))).toBe(JSON.stringify(json));
	});

	it('is no form where it would be one without end', () => {
		const names = Array.from({ length: 501 }, (_, index) => [`f${index}`, true]);
		expect(readForm(schemaOf(Object.fromEntries(names)))).toBeUndefined();
		expect(readForm(schemaOf(Object.fromEntries(names.slice(1))))).toHaveLength(500);
	});

	it('has fields for values that refer to themselves', () => {
		const tree = { oneOf: [{ $ref: '#/$defs/tree' }, { type: 'array' }] };
		const form = readForm({ properties: { tree: { $ref: '#/$defs/tree' } }, $defs: { tree } });
		expect(form).toMatchObject([{ name: 'tree' }]);
	});
});
