import { textAt } from '../json';
import { describeAutomation, inputOf } from './automation';
import type { Automation } from './automation';
import { hostileInput } from './hostile';
import { findLeads, leadInput, leadOutput } from './leads';
import { listFindings, listingInput } from './listings';
import { findProducts, listCatalogue, productInput, productOutput } from './products';

const SUBJECTS = ['Hotel', 'Job', 'Restaurant', 'Flight', 'Home', 'Car', 'Event', 'News', 'Recipe'];
const TASKS = ['Collector', 'Price Watch', 'Review Reader', 'Directory', 'Comparison'];

const MINUTE = 60_000;

/** When the bots with a part were published last: after all others, so that editors list them first, in their order. */
const LATELY = Date.UTC(2026, 1, 2, 9);

/** The company's bots: ten with a part to play, and 45 plain ones so that lists have pages. */
export function makeBots(): Automation[] {
	return [
		...botsWithAPart().map((bot, index) =>
			bot.publishedAt === undefined ? bot : { ...bot, publishedAt: LATELY - index * MINUTE },
		),
		...SUBJECTS.flatMap((subject, row) =>
			TASKS.map((task, column) => {
				const name = `${subject} ${task}`;
				return describeAutomation({
					id: String(1011 + row * TASKS.length + column),
					type: (row + column) % 3 === 0 ? 'agent' : 'workflow',
					name,
					description: `Looks up ${name.toLowerCase()} pages and lists what it finds.`,
					inputSchema: listingInput,
					output: listFindings(name),
				});
			}),
		),
	];
}

function botsWithAPart(): Automation[] {
	return [
		describeAutomation({
			id: '1001',
			name: 'Product Scraper',
			description: 'Searches a shop and returns one row for each product.',
			inputSchema: productInput,
			outputSchema: productOutput,
			steps: ['Open the shop', 'Search for the keyword', 'Read the products', 'Check the prices'],
			output: findProducts,
		}),
		describeAutomation({
			id: '1002',
			type: 'agent',
			name: 'Lead Finder',
			description: 'Finds companies and people to talk to.',
			inputSchema: leadInput,
			outputSchema: leadOutput,
			steps: ['Read the request', 'Search the directories', 'Check the contacts'],
			output: findLeads,
		}),
		describeAutomation({
			id: '1003',
			name: 'Human Check',
			description: 'Pauses until a human has confirmed the login, then goes on.',
			inputSchema: inputOf({ account: { type: 'string', title: 'Account' } }),
			steps: ['Open the login page', 'Wait for a human to confirm', 'Read the account'],
			pauses: true,
			output: (input) => ({
				confirmed: true,
				account: textAt(input, 'account') ?? 'demo@example.com',
				balance: 128.5,
			}),
		}),
		describeAutomation({
			id: '1004',
			name: 'Broken Login',
			description: 'Tries to log in and always fails.',
			inputSchema: inputOf({ username: { type: 'string', title: 'User name' } }),
			steps: ['Open the login page', 'Enter the password', 'Open the dashboard'],
			failure: { code: 20031, message: 'Login failed: the site refused the password.' },
			output: () => undefined,
		}),
		describeAutomation({
			id: '1005',
			name: 'Draft Bot',
			description: 'Still being built; not published.',
			publishedAt: undefined,
			output: () => undefined,
		}),
		describeAutomation({
			id: '1006',
			name: 'Big Catalogue',
			description: 'Reads a whole catalogue: too much to give inline, so it comes as files.',
			inputSchema: inputOf({ category: { type: 'string', title: 'Category' } }),
			output: listCatalogue,
		}),
		describeAutomation({
			id: '1007',
			name: 'Site Archive',
			description: 'Archives a web site into one large file.',
			inputSchema: inputOf({ url: { type: 'string', format: 'uri', title: 'Site URL' } }),
			steps: ['Open the site', 'Follow the links', 'Write the archive'],
			archiveName: 'site-archive.warc',
			output: (input) => ({
				site: textAt(input, 'url') ?? 'https://www.example.com',
				pages: 1240,
				archive: 'site-archive.warc',
			}),
		}),
		describeAutomation({
			id: '1008',
			type: 'agent',
			name: 'Inbox Watcher',
			description: 'Looks through an inbox and reports what needs an answer.',
			steps: ['Open the inbox', 'Read the new messages'],
			output: () => 'Three messages need an answer: an order, a complaint and an invitation.',
		}),
		describeAutomation({
			id: '1009',
			type: 'agent',
			name: 'Support Agent',
			description: 'Answers customers; its model is not configured yet.',
			ready: false,
			output: () => undefined,
		}),
		describeAutomation({
			id: '1010',
			name: 'Hostile Form',
			description: 'Its author wants to keep whoever shows its form, or checks an input, busy.',
			inputSchema: hostileInput,
			checksInput: false,
			output: (input) => ({ echo: textAt(input, 'words') ?? '' }),
		}),
	];
}
