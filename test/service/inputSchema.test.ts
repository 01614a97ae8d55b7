import { InputError } from '../../nodes/BrowserAutomation/service/errors';
import { inputSchemaOf, isForm, toInput } from '../../nodes/BrowserAutomation/service/inputSchema';
import type { JsonObject } from '../../nodes/BrowserAutomation/service/json';
import type { FieldKind } from '../../nodes/BrowserAutomation/service/schema/form';
import { leadInput as leadInputOfSandbox } from '../../sandbox/automations/leads';

const leadInput: JsonObject = JSON.parse(JSON.stringify(leadInputOfSandbox));

const schemaOf = (properties: JsonObject, required: string[] = []): JsonObject => ({
	type: 'object',
	properties,
	required,
	additionalProperties: false,
});

const filled = (
	fields: Record<string, unknown>,
	kinds: Array<[string, FieldKind]> = [],
): Parameters<typeof toInput>[1] => ({ fields, kinds: new Map(kinds), timeZone: 'Asia/Kolkata' });

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
		const message = messageOf(leadInput, {
			max_leads: 900,
			min_score: '1',
			company_size: 'huge',
			active_since: 'yesterday',
			report_to: 'me',
			job_titles: ['Founder', 4],
			location: { city: 'Leeds', radius_km: -1 },
			budget: 'much',
			colour: 'red',
		});
		expect(message.split('; ')).toEqual([
			'The input does not fit: Maximum leads (max_leads) is 900, more than 200',
			'Minimum score (min_score) is "1", not a number',
			'Company size (company_size) is "huge", not one of "1-10", "11-50", "51-200", "201-1000", "over 1000"',
			'Active since (active_since) is "yesterday", not a date and time such as 2026-01-31T09:00:00Z',
			'Report to (report_to) is "me", not an email address',
			'Job titles (job_titles) > item 2 is 4, not text',
			'Location (location) > radius_km is -1, less than 0',
			'Location (location) > country is missing',
			'Budget (budget) fits none of its forms: a number',
			'an object with from, to',
			'Industry (industry) is missing',
			expect.stringMatching(/^colour is not a known field$/),
			expect.stringMatching(/^known fields: industry, max_leads, /),
		]);
	});

	it('never has a password shown', () => {
		const schema = schemaOf({ password: { type: 'string', format: 'password', pattern: '^x' } });
		expect(messageOf(schema, { password: 'hunter2' })).not.toContain('hunter2');
	});

	it('is told apart from names that every object has', () => {
		const schema = schemaOf({ toString: { type: 'string' } }, ['constructor']);
		expect(messageOf(schema, {})).toContain('constructor is missing');
		expect(messageOf(schema, { constructor: 1 })).toContain('constructor is not a known field');
	});

	it('has its first 20 faults named and the rest counted', () => {
		const names = Array.from({ length: 25 }, (_, index) => `f${index}`);
		const message = messageOf(schemaOf({}, names), {});
		expect(message).toContain('f19 is missing; and 5 more');
	});
});

describe('an input that fits', () => {
	it('is sent as it was written', () => {
		const json = { industry: 'steel', max_leads: 3, budget: { from: 1, to: 2 } };
		expect(toInput(leadInput, { json })).toEqual(json);
	});

	it('gets the default of a required field that was left out', () => {
		expect(toInput(leadInput, { json: { industry: 'steel' } })).toEqual({
			industry: 'steel',
			max_leads: 10,
		});
	});

	it('is not checked where the schema is not known', () => {
		expect(toInput(undefined, { json: { anything: [1] } })).toEqual({ anything: [1] });
	});
});

describe('a filled form', () => {
	it('becomes what the schema asks for, whatever n8n and expressions make of it', () => {
		const date = {
			toISO: () => '2026-03-01T00:00:00.000+01:00',
			toJSON: () => '2026-03-01T00:00:00.000+01:00',
		};
		expect(
			toInput(
				leadInput,
				filled({
					industry: 12,
					max_leads: '5',
					min_score: 0.25,
					verified_only: 'true',
					company_size: '11-50',
					active_since: '2026-01-31T09:00:00',
					founded_after: date,
					report_to: '',
					job_titles: '["Founder"]',
					location: '{ "country": "DE" }',
					budget: '{ "from": 1, "to": 2 }',
				}),
			),
		).toEqual({
			industry: '12',
			max_leads: 5,
			min_score: 0.25,
			verified_only: true,
			company_size: '11-50',
			active_since: '2026-01-31T03:30:00.000Z',
			founded_after: '2026-03-01',
			job_titles: ['Founder'],
			location: { country: 'DE' },
			budget: { from: 1, to: 2 },
		});
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
	});

	it('names what it cannot read', () => {
		const schema = schemaOf({ n: { type: 'integer' }, tags: { type: 'array' } });
		expect(() => toInput(schema, filled({ n: 'five', tags: 'a, b' }))).toThrow(
			'n is "five", not a whole number; tags is "a, b", not a list',
		);
	});

	it('loses no digit of a number that is too large for one', () => {
		const schema = schemaOf({ n: { type: 'string' }, m: { type: 'number' } });
		expect(() => toInput(schema, filled({ m: '76520131497525123' }))).toThrow(
			'm is "76520131497525123", not a number',
		);
	});

	it('is read by the kinds that the workflow keeps where the schema is not known', () => {
		const kinds: Array<[string, FieldKind]> = [
			['n', 'number'],
			['tags', 'list'],
			['since', 'dateTime'],
		];
		expect(
			toInput(undefined, filled({ n: '5', tags: '["a"]', since: '2026-01-31', more: 'x' }, kinds)),
		).toEqual({ n: 5, tags: ['a'], since: '2026-01-30T18:30:00.000Z', more: 'x' });
	});
});

describe('an input schema', () => {
	it('is found in a record, as an object or as text', () => {
		expect(inputSchemaOf({ input_schema: { type: 'object' } })).toEqual({ type: 'object' });
		expect(inputSchemaOf({ input_schema: '{"type":"object"}' })).toEqual({ type: 'object' });
		expect(inputSchemaOf({ input_schema: null })).toBeUndefined();
		expect(inputSchemaOf({ input_schema: 'none' })).toBeUndefined();
		expect(inputSchemaOf(undefined)).toBeUndefined();
	});

	it('is a form when it names its members, or is an object without any', () => {
		expect(isForm({ type: 'object' })).toBe(true);
		expect(isForm({ $ref: '#/$defs/a', $defs: { a: { properties: { b: true } } } })).toBe(true);
		expect(isForm({ type: 'array' })).toBe(false);
	});
});
