import { numberAt, textAt } from '../json';
import type { JsonObject } from '../json';
import { Chance, slug } from './chance';
import { inputOf, rowsOf } from './automation';

const MAKERS = ['Nordal', 'Avero', 'Kestrel', 'Lumina', 'Brightwell', 'Tessaro', 'Halden'] as const;
const EDITIONS = ['Classic', 'Pro', 'Lite', 'Max', 'Essential', 'Studio', 'Travel'] as const;
const COLOURS = ['black', 'white', 'graphite', 'sand', 'forest green', 'navy'] as const;
const SELLERS = ['Nordal Store', 'Harbour Goods', 'City Outlet', 'Parcel & Co'] as const;

export const productInput = inputOf(
	{
		keyword: {
			type: 'string',
			title: 'Keyword',
			description: 'What to search the shop for.',
			minLength: 1,
			examples: ['wireless headphones'],
		},
		url: {
			type: 'string',
			format: 'uri',
			title: 'Shop URL',
			description: 'The shop to search.',
			default: 'https://shop.example.com',
		},
		max_results: {
			type: 'integer',
			title: 'Maximum results',
			description: 'How many products to collect at most.',
			minimum: 1,
			maximum: 500,
			default: 10,
		},
		currency: {
			type: 'string',
			title: 'Currency',
			enum: ['USD', 'EUR', 'GBP'],
			default: 'USD',
		},
	},
	['keyword'],
);

export const productOutput = rowsOf({
	position: { type: 'integer' },
	title: { type: 'string' },
	price: { type: 'number' },
	currency: { type: 'string' },
	rating: { type: 'number' },
	reviews: { type: 'integer' },
	in_stock: { type: 'boolean' },
	seller: { type: 'string' },
	url: { type: 'string', format: 'uri' },
	image_url: { type: 'string', format: 'uri' },
});

/** The product rows for a keyword, as the Product Scraper finds them. */
export function findProducts(input: JsonObject): JsonObject[] {
	const keyword = textAt(input, 'keyword') ?? 'product';
	const shop = (textAt(input, 'url') ?? 'https://shop.example.com').replace(/\/+$/, '');
	const currency = textAt(input, 'currency') ?? 'USD';
	const chance = new Chance(`${shop} ${keyword}`);
	const usualPrice = chance.whole(1500, 30_000);
	return Array.from({ length: numberAt(input, 'max_results') ?? 10 }, (_, index) => {
		const maker = chance.pick(MAKERS);
		const title = `${maker} ${keyword} ${chance.pick(EDITIONS)}, ${chance.pick(COLOURS)}`;
		const article = `${slug(title)}-${chance.whole(10_000, 99_999)}`;
		return {
			position: index + 1,
			title,
			price: Math.round(usualPrice * (0.6 + chance.fraction() * 0.8)) / 100,
			currency,
			rating: chance.whole(30, 50) / 10,
			reviews: chance.whole(0, 4200),
			in_stock: chance.fraction() > 0.15,
			seller: chance.pick(SELLERS),
			url: `${shop}/p/${article}`,
			image_url: `${shop}/images/${article}.jpg`,
		};
	});
}

const CATALOGUE_ROWS = 24_000;
const SHELVES = ['kitchen', 'garden', 'audio', 'travel', 'office', 'sports', 'toys'] as const;

/** The rows of the Big Catalogue: as JSON well over the 5 MB that a run gives inline. */
export function listCatalogue(input: JsonObject): JsonObject[] {
	const category = textAt(input, 'category') ?? 'everything';
	const chance = new Chance(`catalogue ${category}`);
	return Array.from({ length: CATALOGUE_ROWS }, (_, index) => {
		const shelf = category === 'everything' ? chance.pick(SHELVES) : category;
		const maker = chance.pick(MAKERS);
		return {
			article: `ART-${String(index + 1).padStart(6, '0')}`,
			title: `${maker} ${shelf} ${chance.pick(EDITIONS)}, ${chance.pick(COLOURS)}`,
			category: shelf,
			price: chance.whole(199, 49_999) / 100,
			currency: 'USD',
			stock: chance.whole(0, 900),
			seller: chance.pick(SELLERS),
			url: `https://catalogue.example.com/articles/${index + 1}`,
			description: `A ${maker} article from the ${shelf} shelf, sold in packs of ${chance.whole(1, 12)}.`,
		};
	});
}
