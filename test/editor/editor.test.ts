import { startSandbox, type Sandbox } from '../../dev/sandbox/server';
import { parametersOf, readShown } from '../package/shown';
import type { Editor } from './editor';
import { describeJobs } from './jobs';
import { goFromCanvasToRows } from './newUser';
import {
	chooseBot,
	correctKey,
	EVERY_FIELD,
	enterWrongKey,
	listenToOwnRun,
	openRefusedList,
	openRunBot,
	PRODUCT_FIELDS,
	writeInputAsJson,
} from './scenes';
import { openSetup, type Setup } from './setup';

let setup: Setup;
let editor: Editor;
let sandbox: Sandbox;

beforeAll(async () => {
	setup = await openSetup();
	({ editor, sandbox } = setup);
}, 600_000);
afterAll(async () => await setup?.close());

/** Opens a node for a bot on an empty canvas, with a credential that works. */
async function openBot(name: string, fields: string[]): Promise<void> {
	await setup.setCredential('working');
	await openRunBot(editor);
	await chooseBot(editor, name, fields);
}

async function outputShows(text: string | RegExp): Promise<void> {
	await editor.part('output-panel').getByText(text).first().waitFor();
}

async function lastInput(): Promise<unknown> {
	return (await sandbox.runs()).at(-1)?.input;
}

async function finishLastRun(): Promise<void> {
	const run = (await sandbox.runs()).at(-1);
	await sandbox.moveRun({ taskId: run?.taskId ?? '', status: 'finished' });
}

async function reopen(): Promise<void> {
	await editor.closeNode();
	await editor.part('canvas-node').filter({ hasText: 'Run bot' }).dblclick();
}

it('tells a wrong key from a right one, in the credential and in the list', async () => {
	await enterWrongKey(setup);
	await editor.closeCredential();
	expect(await openRefusedList(editor)).toContain('Invalid authorization');
	await editor.page.keyboard.press('Tab');

	await correctKey(setup);
	await editor.closeCredential();
	await editor.openList('botId');
	await expect(editor.part('rlc-item').first().textContent()).resolves.toContain('Product Scraper');
});

it('offers a node’s fields to the next one before it ever ran', async () => {
	await setup.setCredential('working');
	await editor.openCanvas();
	await editor.addAction(await editor.searchNodes('scrape'), 'Get many bots');
	await editor.closeNode();
	await editor.addBehind('Get many bots', 'Edit Fields (Set)');
	await editor.page.getByText('Usually outputs the following fields.').waitFor();
	const fields = await editor.part('run-data-schema-item').allInnerTexts();
	expect(fields).toEqual(expect.arrayContaining(['bot_id', 'bot_type', 'name', 'description']));
});

it('changes the form with the bot', async () => {
	await openBot('Lead Finder', EVERY_FIELD);
	await chooseBot(editor, 'Site Archive', ['url']);
	await chooseBot(editor, 'Inbox Watcher', []);
	await editor.page.getByText('This bot needs no input.').waitFor();
});

it('cuts no label of a parameter', async () => {
	await openRunBot(editor);
	await editor.addOption('Output Options', 'Only New or Changed Rows');
	const { nodes, credentials } = await readShown();
	const labels = [...nodes, ...credentials]
		.flatMap(({ properties }) => parametersOf(properties))
		.filter(({ property }) => property.type !== 'notice')
		.map(({ property }) => property.displayName);
	const tooLong = 'Include All the Fields Beside the List';
	const cut = await editor.cutLabels('Only New or Changed Rows', [...labels, tooLong]);
	expect(cut).toEqual([tooLong]);
});

it('says which bot another account does not have, keeps what was filled in, and runs it when the account is back', async () => {
	const other = await startSandbox();
	// What may be left out is sent only if somebody has chosen it.
	const properties = { city: { type: 'string', title: 'City' }, open: { type: 'boolean' } };
	const inputSchema = { properties };
	await sandbox.addBot({ id: '4711', name: 'Street Finder', inputSchema });
	const [mine, others] = ['Browser Automation account', 'browserAutomationApi account'];
	const unknown = 'The bot does not exist in this account (code 10111)';
	try {
		await setup.setCredential('working');
		await setup.addCredential('browserAutomationApi', { baseUrl: other.url, apiKey: other.key });
		await openRunBot(editor);
		await editor.chooseCredential(mine);
		await editor.enterId('botId', '4711');
		await editor.formShows(['city', 'open']);
		await editor.fill('city', 'Bern');

		await editor.chooseCredential(others);
		await reopen();
		await editor.part('mapping-fields-container').getByText(unknown).waitFor();
		await editor.executeStep();
		await outputShows(unknown);
		await outputShows(`The credential is "${others}". Choose a bot from the list.`);

		await editor.chooseCredential(mine);
		await reopen();
		await editor.formShows(['city', 'open']);
		await editor.executeStep();
		await outputShows('Bern');
		expect(await lastInput()).toEqual({ city: 'Bern' });
	} finally {
		await other.close();
	}
});

it('says how a bot’s form has changed, and keeps what the bot asks for no more, to be moved', async () => {
	const bot = { id: '4712', name: 'Term Finder' };
	const asksFor = async (name: string, title: string): Promise<void> => {
		const properties = { [name]: { type: 'string', title } };
		await sandbox.addBot({ ...bot, inputSchema: { properties, required: [name] } });
	};
	await asksFor('keyword', 'Keyword');
	await setup.setCredential('working');
	await openRunBot(editor);
	await editor.enterId('botId', bot.id);
	await editor.formShows(['keyword']);
	await editor.fill('keyword', 'desk lamp');
	await asksFor('search_term', 'Search term');
	await editor.executeStep();
	await outputShows("it now asks for 'Search term'; this node still fills in 'keyword'");

	await reopen();
	await editor.formShows(['keyword', 'search_term']);
	const form = editor.part('mapping-fields-container');
	await form.getByText('No longer asked for: keyword').waitFor();
	await editor.fill('search_term', 'desk lamp');
	await editor.executeStep();
	await outputShows("The bot has no field 'keyword' (any more)");
	expect(await lastInput()).toEqual({ keyword: 'desk lamp', search_term: 'desk lamp' });
});

it('sends a list that was emptied, and nothing for an object that was left alone', async () => {
	await openBot('Lead Finder', EVERY_FIELD);
	await editor.fill('industry', 'steel');
	await editor.fill('job_titles', '[]');
	await editor.executeStep();
	await outputShows('item');
	const input = await lastInput();
	expect(input).toMatchObject({ industry: 'steel', job_titles: [] });
	expect(input).not.toHaveProperty('location');
});

it('shows the values of the form as an example when the input becomes JSON, and keeps them', async () => {
	await setup.setCredential('working');
	const example = await writeInputAsJson(editor);
	await example.getByText('"max_results": 10').waitFor();
	await editor.choose('inputMode', 'Using Fields Below');
	await editor.formShows(PRODUCT_FIELDS);
	const keyword = editor.parameter('keyword').locator('input, textarea').first();
	await expect(keyword.inputValue()).resolves.toBe('desk lamp');

	await editor.choose('inputMode', 'Using JSON');
	await editor.pickFromList('botId', 'Lead Finder', true);
	await example.getByText('"industry": "text"').waitFor();
	await editor.choose('inputMode', 'Using Fields Below');
	// n8n empties a form when the bot changes, unless it does not show it.
	await editor.formShows(['keyword', ...EVERY_FIELD]);
});

it('has V2, which is no action of its list: its form is filled in and run', async () => {
	await setup.setCredential('working');
	await editor.openCanvas();
	await openRunBot(editor);
	await editor.choose('resource', 'Workflow Template (V2)');
	await editor.pickFromList('templateId', 'Price Monitor');
	await editor.formShows(PRODUCT_FIELDS);
	await editor.fill('keyword', 'desk lamp');
	await editor.executeStep();
	await editor.outputItems(10);
	expect(await lastInput()).toMatchObject({ keyword: 'desk lamp' });
});

it('lets the trigger start a run and shows its end', async () => {
	await setup.setCredential('working');
	await listenToOwnRun(setup);
	await outputShows('runFinished');
});

it('shows an example with its form filled, and runs it from the canvas', async () => {
	await setup.openExample('01-run-a-bot-and-get-rows.json');
	await editor.executeWorkflow(3);
	await editor.part('canvas-node').filter({ hasText: 'Run Product Scraper' }).dblclick();
	await editor.formShows(PRODUCT_FIELDS);
	const form = editor.part('mapping-fields-container');
	await form.getByText('Maximum results (1 to 500)').waitFor();
	const keyword = editor.parameter('keyword').locator('input, textarea').first();
	await expect(keyword.inputValue()).resolves.toBe('desk lamp');
	await editor.outputItems(5);
});

it('lets a model fill in a field with choices, whose label tells it which there are', async () => {
	await setup.openExample('05-agent-with-a-bot-as-its-tool.json');
	await editor.part('canvas-node').filter({ hasText: 'Search the Shop' }).last().dblclick();
	const form = editor.part('mapping-fields-container');
	await form.getByText('Currency (USD, EUR, GBP)').waitFor();
	await editor.parameter('currency').hover();
	await editor.click(form.getByTestId('from-ai-override-button').last());
	await form.getByText('Defined automatically by the').waitFor();
});

it('links a failed run’s log', async () => {
	await openBot('Broken Login', ['username']);
	await editor.executeStep();
	await outputShows('Its log:');
	const links = editor.part('output-panel').getByRole('link', { name: /\/log\// });
	const page = await editor.follow(links);
	expect(page.url()).toMatch(/^http:.*\/log\//);
	await page.close();
});

it('leads from the sleeping node to the status page of its run, which ends in words', async () => {
	await sandbox.setDurations({ created: 0, running: null });
	try {
		await openBot('Inbox Watcher', []);
		await editor.executeStep();
		const page = await editor.openStatusPage();
		const run = (await sandbox.runs()).at(-1);
		await page.getByText(`Run ${run?.taskId ?? 'none'}`, { exact: true }).waitFor();
		const link = await page.getByText('Live view').getAttribute('href');
		expect(link).toMatch(/^http/);
		await finishLastRun();
		await editor.outputItems(1);
		await page.getByRole('heading', { name: 'Done: go back to n8n' }).waitFor();
		expect(await page.getByText('"code"').count()).toBe(0);
		await page.reload();
		expect(page.url()).toContain('/executions/');
		expect(await page.getByText('"code"').count()).toBe(0);
		await page.close();
	} finally {
		await sandbox.setDurations({ created: 200, running: 2_500 });
	}
});

it('leads a new user from the empty canvas to rows, without any documentation', async () => {
	// However busy the machine is, it is seen asleep.
	await sandbox.setDurations({ created: 200, running: null });
	const { clicks, typed } = await goFromCanvasToRows(setup, async (moment) => {
		if (moment === 'sleeping') await finishLastRun();
	});
	await sandbox.setDurations({ created: 200, running: 2_500 });

	const output = editor.part('output-panel');
	await output.locator('th').first().waitFor();
	await expect(output.locator('th').allInnerTexts()).resolves.toEqual(
		expect.arrayContaining(['title', 'price', 'rating']),
	);
	expect(await output.getByText('desk lamp').count()).toBeGreaterThan(0);
	expect(clicks).toBeLessThanOrEqual(12);
	expect(typed).toBe(4);
	expect(await lastInput()).toEqual({
		keyword: 'desk lamp',
		url: 'https://shop.example.com',
		max_results: 10,
		currency: 'USD',
	});
});

describe('jobs', () => describeJobs(() => setup));
