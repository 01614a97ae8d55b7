import { numberAt, textAt } from '../json';
import type { JsonObject } from '../json';
import { inputOf } from './automation';
import { Chance, slug } from './chance';

const WORDS = ['Quiet', 'Golden', 'North', 'River', 'Open', 'Silver', 'Old', 'Harbour'] as const;
const THINGS = ['Street', 'Garden', 'Market', 'Bridge', 'Station', 'Corner', 'Hill'] as const;

/** The input of the simpler bots and templates. */
export const listingInput = inputOf({
	query: { type: 'string', title: 'Search for', description: 'What to look for.' },
	max_results: {
		type: 'integer',
		title: 'Maximum results',
		minimum: 1,
		maximum: 200,
		default: 5,
	},
});

/** The findings of a simpler bot, as text that holds JSON: many bots of the service answer so. */
export function listFindings(subject: string): (input: JsonObject) => string {
	return (input) => {
		const query = textAt(input, 'query') ?? subject;
		const chance = new Chance(`${subject} ${query}`);
		const rows = Array.from({ length: numberAt(input, 'max_results') ?? 5 }, () => {
			const name = `${chance.pick(WORDS)} ${chance.pick(THINGS)}`;
			return {
				name,
				query,
				score: chance.whole(10, 50) / 10,
				url: `https://www.example.com/${slug(subject)}/${slug(name)}`,
			};
		});
		return JSON.stringify(rows);
	};
}
