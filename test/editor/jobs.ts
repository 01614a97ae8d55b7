import { randomUUID } from 'node:crypto';
import { json } from 'node:stream/consumers';

import { fetchAlone } from '../../dev/fetchAlone';
import { ChatModel } from '../../dev/demo/chatModel';
import { Origin } from '../fixture/origin';
import { until } from '../timeLapse';
import type { Editor } from './editor';
import { chooseBot, openRunBot, PRODUCT_FIELDS } from './scenes';
import type { Setup } from './setup';

let setup: Setup;
let editor: Editor;

/** A workflow that begins with a webhook. @returns its path */
async function beginWithWebhook(responseMode?: string): Promise<string> {
	const path = randomUUID();
	await editor.openCanvas();
	await editor.addFirst('Webhook');
	await editor.choose('httpMethod', 'POST');
	await editor.fill('path', path);
	if (responseMode !== undefined) await editor.choose('responseMode', responseMode);
	await editor.closeNode();
	return path;
}

/** Has the editor listen, and calls the webhook. @returns the answer */
async function callWorkflow(path: string, body: object): Promise<unknown> {
	await editor.beginWorkflow();
	await editor.page.getByText('Waiting for trigger event').first().waitFor();
	const answer = await fetchAlone(`${new URL(editor.page.url()).origin}/webhook-test/${path}`, {
		method: 'POST',
		headers: { 'content-type': 'application/json' },
		body: JSON.stringify(body),
	});
	return await answer.json();
}

/** A workflow that begins with the items of some code. */
async function beginWithCode(text: string): Promise<void> {
	await editor.openCanvas();
	await editor.addOffered('Trigger manually');
	await editor.addBehind('When clicking ‘Execute workflow’', 'Code', {
		action: 'Code in JavaScript',
	});
	const code = editor.parameter('jsCode').locator('.cm-content');
	await code.fill(text);
	await code.blur();
	await editor.closeNode();
}

/** Adds a node that runs the Product Scraper with a keyword of each item; what fails leaves by the second output. */
async function addBotBehind(previous: string, keyword: string): Promise<void> {
	await editor.addBehind(previous, 'Browser Automation', { action: 'Run bot' });
	await chooseBot(editor, 'Product Scraper', PRODUCT_FIELDS);
	await editor.fillExpression('keyword', keyword);
	await editor.fill('max_results', '2');
	await editor.openTab('Settings');
	await editor.choose('onError', 'Continue (using error output)');
	await editor.openTab('Parameters');
}

/** Gives the agent a bot as a tool of that name, of whose form the model fills in some fields. */
async function addBotTool(
	[name, description]: [string, string],
	bot: string,
	form: string[],
	asked: string[],
): Promise<void> {
	await editor.addBelow('AI Agent', 'ai_tool', 'Browser Automation Tool');
	await editor.renameNode(name);
	await editor.choose('descriptionType', 'Set Manually');
	await editor.fill('toolDescription', description);
	await chooseBot(editor, bot, form);
	for (const field of asked) await editor.letModelFill(field);
}

/** What a model makes of the rows that its tools gave: a table of the names that it finds there. */
function asTable(answers: string[]): string {
	const names = answers.flatMap((answer) => [
		...answer.replaceAll('\\"', '"').matchAll(/"(?:title|company)":\s*"([^"]+)"/g),
	]);
	return ['| Found |', '| --- |', ...names.map(([, name = '']) => `| ${name} |`)].join('\n');
}

/** A chat, mail or other service that takes messages. */
async function withReceiver(
	job: (url: string, messages: unknown[]) => Promise<void>,
): Promise<void> {
	const messages: unknown[] = [];
	const receiver = new Origin();
	receiver.answerWith((request, response) => {
		void json(request).then((message) => {
			messages.push(message);
			response.end();
		});
	});
	await receiver.open();
	await job(receiver.url, messages).finally(async () => await receiver.close());
}

async function addMessageBehind(previous: string, url: string, text: string): Promise<void> {
	await editor.addBehind(previous, 'HTTP Request');
	await editor.choose('method', 'POST');
	await (url.startsWith('{{') ? editor.fillExpression('url', url) : editor.fill('url', url));
	await editor.toggle('sendBody');
	await editor.fill('name', 'text');
	// n8n takes an expression a moment after it was typed; who closes the node before that loses it.
	const stored = JSON.stringify(text).slice(1, -1);
	await Promise.all([
		editor.page.waitForRequest((request) => (request.postData() ?? '').includes(stored)),
		editor.fillExpression('value', text),
	]);
}

async function aggregateBehind(previous: string, output = 0): Promise<void> {
	await editor.addBehind(previous, 'Aggregate', { output });
	await editor.choose('aggregate', 'All Item Data (Into a Single List)');
}

/** What people come for, built on an empty canvas out of what the editor shows. */
export function describeJobs(connect: () => Setup): void {
	beforeAll(async () => {
		setup = connect();
		({ editor } = setup);
		await setup.setCredential('working');
		await setup.sandbox.setDurations({ created: 50, running: 500 });
	});

	it('answers whoever calls a webhook with the rows', async () => {
		const path = await beginWithWebhook("Using 'Respond to Webhook' Node");
		await addBotBehind('Webhook', '{{ $json.body.keyword }}');
		await editor.closeNode();
		await editor.addBehind('Run bot', 'Respond to Webhook');
		await editor.choose('respondWith', 'All Incoming Items');
		await editor.closeNode();

		const lamp = expect.objectContaining({ title: expect.stringContaining('desk lamp') });
		expect(await callWorkflow(path, { keyword: 'desk lamp' })).toEqual([lamp, lamp]);
	});

	it('lets a person resume a paused run on its page, which then says that n8n goes on', async () => {
		await openRunBot(editor);
		await chooseBot(editor, 'Human Check', ['account']);
		await editor.executeStep();
		const page = await editor.openStatusPage();
		await page.getByText('Paused: a person is needed').waitFor();
		await page.getByRole('button', { name: 'I am done: resume the run' }).click();
		await page.getByText('was resumed').waitFor();
		expect(await page.getByText('a person is needed').count()).toBe(0);
		await page.getByRole('heading', { name: 'Done: go back to n8n' }).waitFor();
		await page.close();
		await editor.part('output-panel').getByText('confirmed').first().waitFor();
	});

	it('runs fifty keywords, and reports those that failed by the second output', async () => {
		await beginWithCode(
			"return Array.from({ length: 50 }, (_, i) => ({ json: { keyword: i % 10 < 9 ? `lamp ${i}` : '' } }));",
		);
		await addBotBehind('Code in JavaScript', '{{ $json.keyword }}');
		await editor.executeStep();

		const output = editor.part('output-panel');
		await output.getByText('Success Branch (90 items)').waitFor({ timeout: 60_000 });
		await output.getByText('45 runs, ').waitFor();
		await output.getByText('gives each row the fields of its input item').waitFor();
		await editor.click(output.getByText('Error Branch (5 items)'));
		await output.getByText('Keyword (keyword) is missing').first().waitFor();
	});

	it('gives an agent two bots as its tools, one in Chinese, and the chat answers with a table of their rows', async () => {
		const { sandbox } = setup;
		const properties = {
			title: { type: 'string', title: '产品名称' },
			company: { type: 'string', title: '公司名称' },
			место: { type: 'string' },
		};
		await sandbox.addBot({ id: '4711', name: '公司搜索', inputSchema: { properties } });
		const given = { ______title_: '台灯', ______company_: '宜家', _____: '上海' };
		const calls = [
			{ tool: 'Search_the_Shop', arguments: { Keyword: 'desk lamp' } },
			{ tool: 'Find_Companies', arguments: given },
		];
		const model = await ChatModel.start([calls], asTable);
		await setup.addCredential('openAiApi', { apiKey: 'none', url: model.url });
		try {
			await editor.openCanvas();
			await editor.addFirst('AI Agent');
			await editor.closeNode();
			await editor.addBelow('AI Agent', 'ai_languageModel', 'OpenAI Chat Model');
			// The model of this test speaks the older interface alone.
			await editor.toggle('responsesApiEnabled');
			await editor.closeNode();
			const shop: [string, string] = ['Search the Shop', 'Searches the shop for products.'];
			await addBotTool(shop, 'Product Scraper', PRODUCT_FIELDS, ['keyword']);
			await editor.fill('max_results', '2');
			await editor.closeNode();
			const fields = Object.keys(properties);
			const finder: [string, string] = ['Find Companies', 'Finds companies of an industry.'];
			await addBotTool(finder, '公司搜索', fields, fields);
			await editor.closeNode();

			await editor.click(editor.part('workflow-chat-button'));
			await editor.click(editor.part('chat-input'));
			await editor.type('Which desk lamps are there, and who makes them?');
			await editor.page.keyboard.press('Enter');
			const table = editor.part('canvas-chat').locator('table');
			await table.getByText('desk lamp').first().waitFor();
			const runs = (await sandbox.runs()).slice(-2);
			expect(runs.map(({ input }) => input)).toEqual(
				expect.arrayContaining([
					expect.objectContaining({ keyword: 'desk lamp' }),
					{ title: '台灯', company: '宜家', место: '上海' },
				]),
			);
			// Of each bot's rows, below the title.
			expect(await table.locator('tr').count()).toBe(1 + 2 + 2);
		} finally {
			await model.close();
		}
	});

	it('sends one message an hour about the runs that have failed', async () => {
		const createdFrom = new Date().toISOString();
		await setup.sandbox.seedRuns({ count: 1, createdFrom, bot: '1004', statuses: ['failed'] });
		await withReceiver(async (url, messages) => {
			await editor.openCanvas();
			const trigger = 'Browser Automation Polling';
			await editor.addAction(await editor.searchNodes('polling', trigger), 'On failed');
			await editor.choose('mode', 'Every Hour');
			await editor.executeStep();
			await editor.part('output-panel').getByText('1 item').waitFor();
			await editor.closeNode();
			await aggregateBehind(`${trigger} Trigger`);
			await editor.executeStep();
			await editor.outputItems(1);
			await editor.closeNode();
			const text =
				'{{ $json.data.map((run) => run.bot_name + ": " + run.task_failure_info.message).join() }}';
			await addMessageBehind('Aggregate', url, text);
			await editor.page.getByText('Broken Login: Login failed').first().waitFor();
			await editor.executeStep();
			await editor.outputItems(1);
			expect(messages).toEqual([{ text: expect.stringContaining('Broken Login: Login failed') }]);
		});
	});

	it('answers a webhook at once, and calls back when the run has ended', async () => {
		await withReceiver(async (url, messages) => {
			const path = await beginWithWebhook();
			await addBotBehind('Webhook', '{{ $json.body.keyword }}');
			await editor.choose('output', 'Simplified');
			await editor.closeNode();
			const callback = "{{ $('Webhook').item.json.body.callback }}";
			await addMessageBehind('Run bot', callback, '{{ $json.status }}');
			await editor.closeNode();

			const answer = await callWorkflow(path, { keyword: 'desk lamp', callback: url });
			expect(answer).toEqual({ message: 'Workflow was started' });
			expect(messages).toEqual([]);
			await until(() => messages.length > 0, 'a message', 60_000);
			expect(messages).toEqual([{ text: 'finished' }]);
		});
	});

	it('reads twenty addresses for rows that are new or changed, and sums up those that failed', async () => {
		await beginWithCode(
			'return Array.from({ length: 20 }, (_, i) => ({ json: { url: i < 18 ? `https://shop${i}.example` : "none" } }));',
		);
		await addBotBehind('Code in JavaScript', 'desk lamp');
		await editor.fillExpression('url', '{{ $json.url }}');
		await editor.addOption('Output Options', 'Only New or Changed Rows');
		await editor.executeStep();
		const output = editor.part('output-panel');
		await output.getByText('Success Branch (36 items)').waitFor();
		await output.getByText('Error Branch (2 items)').waitFor();
		await editor.executeStep();
		await output.getByText('Success Branch (36 items)').waitFor({ state: 'detached' });
		await output.getByText('Error Branch (2 items)').waitFor();
		await editor.closeNode();
		await aggregateBehind('Run bot', 1);
		await editor.executeStep();
		await editor.outputItems(1);
		await editor.part('output-panel').getByText('is "none", not a URL').first().waitFor();
	});

	it('says before the first run that the trigger of an unpublished workflow hears of nothing', async () => {
		await openRunBot(editor);
		await editor.choose('notify', 'Trigger in This Workflow');
		await editor.part('output-panel').getByText('no trigger of this workflow hears').waitFor();
	});
}
