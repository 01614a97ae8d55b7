import { Workflow, type IExecuteFunctions } from 'n8n-workflow';

import { BrowserAutomation } from '../../../nodes/BrowserAutomation/BrowserAutomation.node';
import { statusPageUrlFor } from '../../../nodes/BrowserAutomation/execution/waiting/statusPage';
import { nameRunsInCustomData } from '../../../nodes/BrowserAutomation/execution/hints';
import { recordSecret } from '../../../nodes/BrowserAutomation/transport/secrets';
import { toItems, type Run, type RunOptions } from '../../core/harness';
import type { OutsideRequest } from '../../core/harness/http-exchange';
import { ACTION, apiCredential } from '../../fixture';
import { insideNode } from '../insideNode';
import { ledgerOf, node, refusal, RESUME_URL, running, UNSIGNED_URL } from './ledgerOf';
import { finished, keywords, passedOn, useScene } from './scene';
import { startTimeLapse, until } from '../../timeLapse';

const scene = useScene();

// The clock, to which a handler leaves the execution when it is near, is a minute away.
beforeEach(() => startTimeLapse(10));

/** Puts runs to sleep, one for each keyword, whose callbacks never come. */
async function sleep(words: string[], how: Partial<RunOptions> = {}) {
	await scene.sandbox.setCallbackFaults({ lose: 'all' });
	const asleep = await scene.run({ items: keywords(...words), ...how });
	expect(asleep.status).toBe('waiting');
	return { asleep, url: asleep.metadata.resumeUrl ?? '' };
}

function expectToSleep(asleep: Run): void {
	expect(scene.harness.stored(asleep).status).toBe('waiting');
}

async function receive(url: string, request: OutsideRequest) {
	const { response, run } = await scene.harness.receive(url, request);
	return { ...response, run, page: String(response.body).replace(/\s+/g, ' ') };
}

/** Opens the page as a browser does, or presses one of its buttons. */
const visit = async (url: string) => await receive(url, { method: 'GET' });
const press = async (url: string, name: string, value: string) =>
	await receive(url, {
		method: 'POST',
		headers: { 'content-type': 'application/x-www-form-urlencoded' },
		body: new URLSearchParams([[name, value]]).toString(),
	});

/** Opens the page of an execution that sleeps on, again while n8n's wait timer has the node poll its runs. */
async function open(url: string) {
	return await until(async () => {
		const { run, ...opened } = await visit(url);
		if (opened.status === 409) return undefined;
		expect(run).toBeUndefined();
		return opened;
	}, 'the status page');
}

it('shows each run and where it stands, with live view and log, but not its input, and sleeps on', async () => {
	const { asleep, url } = await sleep(['desk lamp', 'b']);
	const { status, page, headers } = await open(url);

	expect(status).toBe(200);
	expect(page).toContain(`${scene.harness.stored(asleep).workflowData.name} sleeps in n8n`);
	expect(page).toContain('<h1>Product Scraper</h1>');
	for (const word of ['desk lamp', 'b']) {
		expect(page).toContain(`Run ${(await scene.runFor(word)).taskId}<`);
	}
	expect(page).not.toContain('desk lamp');
	expect(page.match(/>Live view<\/a/g)).toHaveLength(2);
	expect(page.match(/>Log<\/a/g)).toHaveLength(2);
	expect(page).toContain('2 runs have not ended.');
	expect(headers).toMatchObject({
		'content-security-policy': expect.stringMatching(/default-src 'none'.*frame-ancestors 'none'/),
		'referrer-policy': 'no-referrer',
	});
	expectToSleep(asleep);
});

it.each([
	['without its key', (url: URL) => url.searchParams.delete('key')],
	['with another key', (url: URL) => url.searchParams.set('key', '0'.repeat(32))],
])('shows nothing and does nothing %s, and asks the service nothing', async (_, forge) => {
	// Then nothing polls of its own accord.
	scene.cutOff();
	const { asleep, url } = await sleep(['a']);
	const forged = new URL(url);
	forge(forged);
	await scene.sandbox.clearRequests();
	const shown = await open(forged.toString());
	const pressed = await press(forged.toString(), 'action', 'cancelAll');

	for (const { status, page } of [shown, pressed]) {
		expect(status).toBe(403);
		expect(page).toContain('This link belongs to no waiting execution.');
	}
	// What slept in earlier tests may be polled still.
	const { taskId } = await scene.runFor('a');
	const requests = await scene.sandbox.requests();
	expect(requests.filter(({ path }) => path.includes(taskId))).toEqual([]);
	expectToSleep(asleep);
});

it('does not let the key of the page resume the execution as a callback', async () => {
	const { asleep, url } = await sleep(['a']);
	await scene.finish('a');
	const callback = new URL((await scene.runFor('a')).callbackUrl ?? '');
	callback.searchParams.set('token', new URL(url).searchParams.get('key') ?? '');
	const { response } = await scene.harness.receive(callback.toString(), { body: {} });

	expect(response.status).toBe(403);
	expectToSleep(asleep);
});

it('Check now polls, and says that there is nothing to go on with', async () => {
	// Then nothing but the page polls the run.
	scene.cutOff();
	const { asleep, url } = await sleep(['a']);
	await scene.sandbox.clearRequests();
	expect((await visit(url)).page).not.toContain('has checked');
	const { status, page, run } = await press(url, 'action', 'check');

	expect(await scene.asked('run.get')).toBe(2);
	expect(status).toBe(200);
	expect(page).toContain('>n8n has checked, and goes on sleeping.<');
	expect(page).toMatch(/Last checked: \d+ s ago/);
	expect(run).toBeUndefined();
	expectToSleep(asleep);
});

it.each([
	['is opened', async (url: string) => await visit(url)],
	['has Check now pressed', async (url: string) => await press(url, 'action', 'check')],
])('resumes the execution when the page %s and finds all ended', async (_, visited) => {
	// Then nothing but the page checks the runs.
	scene.cutOff();
	const { url } = await sleep(['a', 'b']);
	await scene.finish('a', 'b');
	const { status, page, run } = await visited(url);

	expect(status).toBe(200);
	expect(page).toContain('Nothing is left to wait for: n8n continues.');
	expect(run && passedOn(run)).toEqual([finished, finished]);
});

it('delays nothing, open three times', async () => {
	const words = Array.from({ length: 20 }, (_, index) => `w${index}`);
	const { asleep, url } = await sleep(words);
	for (let read = 0; read < 30; read++) await open(url);
	const finished = Date.now();

	expect(passedOn(await scene.end(asleep, ...words))).toHaveLength(20);
	// Within the watcher's budget it would be ten minutes.
	expect(Date.now() - finished).toBeLessThan(60_000);
});

it('tells no key that the node has used before, wherever the service says it again', async () => {
	const { asleep, url } = await sleep(['a']);
	const earlierKey = 'app-earlier-4711';
	const { workflowData, nodeName } = scene.harness.stored(asleep);
	const [own = node] = workflowData.nodes.filter(({ name }) => name === nodeName);
	recordSecret(own, earlierKey);
	const refuse = { kind: 'envelopeError', code: 99001, msg: `no more ${earlierKey}` } as const;
	await scene.sandbox.addFault({ path: '^/v3/bots/runs', ...refuse });
	const pages = [
		(await press(url, 'action', 'check')).page,
		(await press(url, 'cancel', (await scene.runFor('a')).taskId)).page,
		(await open(url)).page,
	];

	expect(pages[0]).toContain('The service could not be asked');
	for (const page of pages) {
		expect(page).toMatch(/Last error, \d+ s ago: [^<]*no more \(hidden\)/);
		expect(page).not.toContain(earlierKey);
	}
});

it('says what to do where the key is an expression, which n8n cannot resolve after a restart', async () => {
	scene.cutOff();
	const { key, url: service } = scene.sandbox;
	const items = toItems({ keyword: 'a', key });
	const credentials = apiCredential({ url: service, key: '={{ $json.key }}' });
	const { asleep, url } = await sleep([], { items, credentials });
	const { taskId } = await scene.runFor('a');
	scene.forget(asleep);
	const { page } = await press(url, 'cancel', taskId);

	expect(page).toContain(`Run ${taskId} was not canceled`);
	expect(page).toContain('press &#39;Cancel all runs&#39; if the page has that button');
	expectToSleep(asleep);
	await press(url, 'action', 'cancelAll');
	expect(await scene.statuses()).toEqual(['canceled']);
});

describe('the waiting text in the editor', () => {
	/** What the editor makes of the hint, which sees nothing but the address. */
	function hintFor(resumeUrl: string): string {
		const type = new BrowserAutomation();
		const ours = { ...node, type: ACTION };
		const [getByName, getByNameAndVersion] = [() => type, () => type];
		const nodeTypes = { getByName, getByNameAndVersion, getKnownTypes: () => ({}) };
		const workflow = { nodes: [ours], connections: {}, active: false, nodeTypes };
		const { waitingNodeTooltip } = type.description;
		const keys = { $execution: { id: '1', mode: 'test' as const, resumeUrl, resumeFormUrl: '' } };
		const { expression } = new Workflow(workflow);
		return String(expression.getSimpleParameterValue(ours, waitingNodeTooltip, 'internal', keys));
	}

	const url = statusPageUrlFor(RESUME_URL, ledgerOf([running()]));
	const batch = statusPageUrlFor(RESUME_URL, ledgerOf([running(), { refusal }]));
	const person = statusPageUrlFor(RESUME_URL, ledgerOf([{ taskId: '1', status: 'paused' }]));
	const works = 'The bot is working. This continues by itself. ';
	const stops = 'topping this execution does not stop the bot.';
	const LEADS = `${works} <a href="${url}" target="_blank">Open the status page</a> to watch, resume or cancel; s${stops}`;
	const COUNTS = expect.stringContaining(`${works}1 of 2 runs ended, 1 failed. <a`);
	const NEEDED = expect.stringMatching(/^<strong>Paused: a person is needed.<\/strong> +<a/);
	const HINT = `${works}Or it is paused: open the status page, at the top of this node’s output. S${stops}`;

	it.each([
		['leads to the page', url, LEADS],
		['says how far a batch is', batch, COUNTS],
		['says that a person is needed where the execution fell asleep paused', person, NEEDED],
		['leads to the hint where n8n does not tell the page’s address', UNSIGNED_URL, HINT],
	])('%s', (_, resumeUrl, expected) => {
		expect(hintFor(resumeUrl)).toEqual(expected);
	});

	/** What the editor shows at each suspension of a batch: the state in the page's address, and how many items, which would stand in place of the text. */
	const shown = ({ status, metadata, outputs }: Run) => {
		const { searchParams: query } = new URL(metadata.resumeUrl ?? '');
		return [status, query.get('state'), query.get('progress'), outputs[0]?.length];
	};

	it('is sent anew, with all started before the first sleep, when a run pauses, goes on, and some have ended', async () => {
		await scene.sandbox.setCallbackFaults({ lose: 'all' });
		const first = await scene.begin({ items: keywords('a', 'b', 'c'), mode: 'manual' });
		const ids = await scene.idsFor('a', 'b', 'c');
		const started = ids.map((task_id, item) => ({ json: { task_id }, pairedItem: { item } }));
		expect(first.outputs[0]).toMatchObject(started);
		const sleeps = async (count: number) =>
			await until(() => scene.resumesOf(first)[count - 1], `sleep ${count + 1}`);
		await scene.move('a', 'paused');
		await sleeps(1);
		await scene.move('a', 'running');
		await sleeps(2);
		await scene.finish('b');
		await sleeps(3);

		expect([first, ...scene.resumesOf(first)].map(shown)).toEqual([
			['waiting', null, '0 of 3 runs ended.', 3],
			['waiting', 'paused', '0 of 3 runs ended.', 0],
			['waiting', null, '0 of 3 runs ended.', 0],
			['waiting', null, '1 of 3 runs ended.', 0],
		]);
		await scene.finish('a', 'c');
		const last = await sleeps(4);
		expect(passedOn(last)).toHaveLength(3);
	});
});

describe('the custom data of the execution', () => {
	it('names its runs, by which n8n’s list of executions finds it', async () => {
		const { asleep } = await sleep(['a', 'b']);
		const { metadata } = scene.harness.stored(asleep).data?.resultData ?? {};
		expect(metadata).toEqual({ task_ids: (await scene.idsFor('a', 'b')).join(' ') });
	});

	it('names those of all nodes, each once, as many as fit whole, unless an n8n has none', async () => {
		const ids = Array.from({ length: 26 }, (_, index) => `91000000000000000${index + 10}`);
		const named = await insideNode((context) => {
			nameRunsInCustomData(context, ids.slice(0, 2));
			nameRunsInCustomData(context, ids.slice(1));
			nameRunsInCustomData(context, []);
			return context.customData.getAll();
		});
		expect(named).toEqual({ task_ids: ids.slice(0, 25).join(' ') });
		const name = (context: IExecuteFunctions) => nameRunsInCustomData(context, ids) ?? true;
		await insideNode(name, {}, { customData: undefined });
	});
});
