import { numberAt, textAt } from '../json';
import { describeAutomation, inputOf } from './automation';
import type { Automation } from './automation';
import { Chance } from './chance';
import { listFindings, listingInput } from './listings';
import { findProducts, productInput, productOutput } from './products';

const SUBJECTS = ['Map', 'Social Media', 'Marketplace', 'Search Result', 'Video', 'Forum', 'Blog'];
const TASKS = ['Scraper', 'Monitor', 'Analyst', 'Exporter'];
const CITIES = ['Lisbon', 'Hamburg', 'Denver', 'Osaka', 'Leeds', 'Turin'] as const;

/** The official templates: three with a part to play, and 27 plain ones so that lists have pages. */
export function makeTemplates(): Automation[] {
	const names = SUBJECTS.flatMap((subject) => TASKS.map((task) => `${subject} ${task}`));
	return [
		describeAutomation({
			id: '2001',
			source: 'template',
			name: 'Price Monitor',
			description: 'Compares the prices of a product in a shop.',
			inputSchema: productInput,
			outputSchema: productOutput,
			output: findProducts,
		}),
		describeAutomation({
			id: '2002',
			source: 'template',
			type: 'agent',
			name: 'Review Analyst',
			description: 'Reads the reviews of a product and says what people think.',
			inputSchema: inputOf(
				{
					product: { type: 'string', title: 'Product', minLength: 1 },
					max_reviews: { type: 'integer', minimum: 1, maximum: 1000, default: 50 },
				},
				['product'],
			),
			output: (input) => {
				const product = textAt(input, 'product') ?? 'the product';
				const chance = new Chance(`reviews ${product}`);
				return {
					product,
					reviews_read: numberAt(input, 'max_reviews') ?? 50,
					average_rating: chance.whole(28, 49) / 10,
					praised: ['easy to set up', 'solid build'],
					criticised: ['short cable', 'slow delivery'],
				};
			},
		}),
		describeAutomation({
			id: '2003',
			source: 'template',
			name: 'Store Locator',
			description: 'Lists the stores of a brand.',
			inputSchema: inputOf({ brand: { type: 'string', title: 'Brand', minLength: 1 } }, ['brand']),
			output: (input) => {
				const brand = textAt(input, 'brand') ?? 'Store';
				const chance = new Chance(`stores ${brand}`);
				return CITIES.map((city) => ({
					store: `${brand} ${city}`,
					street: `${chance.whole(1, 240)} Market Street`,
					city,
					open_until: `${chance.whole(17, 22)}:00`,
				}));
			},
		}),
		...names.slice(0, 27).map((name, index) =>
			describeAutomation({
				id: String(2004 + index),
				source: 'template',
				type: index % 4 === 2 ? 'agent' : 'workflow',
				name,
				description: `A ready-made ${name.toLowerCase()}.`,
				inputSchema: listingInput,
				output: listFindings(name),
			}),
		),
	];
}
