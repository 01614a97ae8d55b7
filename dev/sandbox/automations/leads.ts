import { numberAt, objectOrEmpty, textAt } from '../json';
import type { JsonObject } from '../json';
import { inputOf } from './automation';
import { Chance, slug } from './chance';

const STEMS = ['Alder', 'Bluewater', 'Corvid', 'Delphi', 'Easthill', 'Fennec', 'Granite'] as const;
const KINDS = ['Works', 'Partners', 'Systems', 'Group', 'Labs', 'Collective', 'Supply'] as const;
const FIRST = ['Mara', 'Jonas', 'Priya', 'Tomas', 'Ines', 'Kofi', 'Hanna', 'Luca'] as const;
const LAST = ['Voss', 'Lindqvist', 'Rao', 'Novak', 'Duarte', 'Mensah', 'Keller'] as const;
const TITLES = ['Head of Sales', 'Founder', 'Purchasing Manager', 'Marketing Lead'] as const;

/** Has every kind of field a form must be able to show. */
export const leadInput = inputOf(
	{
		industry: {
			type: 'string',
			title: 'Industry',
			description: 'The trade to look for, in your own words.',
			minLength: 2,
			maxLength: 80,
		},
		max_leads: {
			type: 'integer',
			title: 'Maximum leads',
			description: 'How many leads to return at most.',
			minimum: 1,
			maximum: 200,
			default: 10,
		},
		min_score: {
			type: 'number',
			title: 'Minimum score',
			description: 'Leave out leads that score lower, from 0 to 1.',
			minimum: 0,
			maximum: 1,
			default: 0.5,
		},
		verified_only: {
			type: 'boolean',
			title: 'Verified only',
			description: 'Only leads whose address has been checked.',
			default: false,
		},
		company_size: {
			type: 'string',
			title: 'Company size',
			enum: ['1-10', '11-50', '51-200', '201-1000', 'over 1000'],
			default: '11-50',
		},
		active_since: {
			type: 'string',
			format: 'date-time',
			title: 'Active since',
			description: 'Only companies active since then.',
		},
		founded_after: { type: 'string', format: 'date', title: 'Founded after' },
		report_to: { type: 'string', format: 'email', title: 'Report to' },
		job_titles: {
			type: 'array',
			title: 'Job titles',
			description: 'Whom to look for in each company.',
			items: { type: 'string' },
			maxItems: 10,
			default: ['Head of Sales'],
		},
		location: {
			type: 'object',
			title: 'Location',
			properties: {
				country: { type: 'string', minLength: 2, maxLength: 2 },
				city: { type: 'string' },
				radius_km: { type: 'number', minimum: 0 },
			},
			required: ['country'],
			additionalProperties: false,
		},
		budget: {
			title: 'Budget',
			description: 'An amount, or a range.',
			oneOf: [
				{ type: 'number', minimum: 0 },
				{
					type: 'object',
					properties: { from: { type: 'number' }, to: { type: 'number' } },
					required: ['from', 'to'],
					additionalProperties: false,
				},
			],
		},
	},
	['industry', 'max_leads'],
);

export const leadOutput: JsonObject = {
	type: 'object',
	properties: {
		summary: { type: 'string' },
		leads: {
			type: 'array',
			items: {
				type: 'object',
				properties: {
					company: { type: 'string' },
					website: { type: 'string', format: 'uri' },
					contact: { type: 'string' },
					job_title: { type: 'string' },
					email: { type: 'string', format: 'email' },
					country: { type: 'string' },
					score: { type: 'number' },
					verified: { type: 'boolean' },
				},
			},
		},
	},
};

/** The leads the Lead Finder finds, with a summary in words. */
export function findLeads(input: JsonObject): JsonObject {
	const industry = textAt(input, 'industry') ?? 'trade';
	const country = textAt(objectOrEmpty(input['location']), 'country') ?? 'US';
	const least = numberAt(input, 'min_score') ?? 0.5;
	const chance = new Chance(`${industry} ${country}`);
	const leads = Array.from({ length: numberAt(input, 'max_leads') ?? 10 }, () => {
		const company = `${chance.pick(STEMS)} ${chance.pick(KINDS)}`;
		const first = chance.pick(FIRST);
		const last = chance.pick(LAST);
		const domain = `${slug(company)}.example.com`;
		const verified = input['verified_only'] === true || chance.fraction() > 0.4;
		return {
			company,
			website: `https://${domain}`,
			contact: `${first} ${last}`,
			job_title: chance.pick(TITLES),
			email: `${slug(first)}.${slug(last)}@${domain}`,
			country,
			score: Math.round((least + chance.fraction() * (1 - least)) * 100) / 100,
			verified,
		};
	});
	return { summary: `Found ${leads.length} leads in ${industry} (${country}).`, leads };
}
