import path from 'node:path';

import { fetchAlone } from '../../dev/fetchAlone';
import { ChatModel } from '../../dev/demo/chatModel';
import type { N8nClient } from '../../dev/n8n/client';
import { isRecord, textOf } from '../../dev/n8n/json';
import { freePort } from '../../dev/n8n/ports';
import { workflowOf, type NodeSketch } from '../../dev/n8n/workflow';

import { ACTION, TOOL } from '../fixture/nodeTypes';
import { inGroups } from '../fixture/parameters';
import { beside, callbackTrigger, triggered } from './triggerWorkflows';
import { useOwnN8n } from './useBench';
import { calledTrigger, refersTo, runBot, until, type Workbench } from './workbench';

let port: number;
let client: N8nClient;
let bench: Workbench;
let projectId: string;

const environment = {
	EXTERNAL_HOOK_FILES: path.join(__dirname, 'servicesHook.cjs'),
	// Its agents are among them.
	N8N_DISABLED_MODULES: '',
};
const own = useOwnN8n({ environment }, async () => {
	port = await freePort();
	return { SERVICES_PORT: String(port) };
});

beforeAll(async () => {
	bench = own.bench();
	({ client } = bench);
	projectId = textOf(await client.request('GET', '/projects/personal'), 'id');
});

beforeEach(async () => {
	await bench.sandbox.reset();
	await takes(100);
});

/** From now on runs take so many milliseconds. */
async function takes(running: number): Promise<void> {
	await bench.sandbox.setDurations({ created: 0, running });
}

/** Has one of n8n's own services carry the node out. */
async function ask(service: string, request: object): Promise<Record<string, unknown>> {
	const body = JSON.stringify({ projectId, ...request });
	const answer = await fetchAlone(`http://127.0.0.1:${port}/${service}`, { method: 'POST', body });
	return Object(await answer.json());
}

const credentials = () => refersTo(bench.credential);

const scrape = (further: Record<string, unknown> = {}, options = {}) =>
	runBot('1001', {
		input: "={{ { keyword: $fromAI('keyword'), max_results: 1 } }}",
		output: 'rows',
		...inGroups(options),
		...further,
	});

const LAMP = { input: '{ "keyword": "lamp", "max_results": 1 }' };

const GOES_ON = expect.stringMatching(
	/^Still running, .*Read it with Run > Wait for Completion.*Starting it again starts another run\.$/,
);

describe('a tool of n8n’s Agents', () => {
	async function call(nodeParameters: object, input: object = { keyword: 'lamp' }) {
		const { data, error } = await ask('agent', {
			nodeType: TOOL,
			nodeTypeVersion: 1,
			nodeParameters,
			credentialDetails: credentials(),
			inputData: [{ json: input }],
		});
		const items = Array.isArray(data) ? data.filter(isRecord) : [];
		return { error, answer: items.map(({ json }) => json) };
	}

	it('starts a run once, waits for it, and answers with its rows, files by name', async () => {
		await takes(6_000);
		const keyword = "={{ $fromAI('keyword', 'What to look for', 'string') }}";
		const inputFields = {
			mappingMode: 'defineBelow',
			value: { keyword, max_results: 1 },
			schema: [],
		};
		const form = { inputMode: 'fields', inputFields };
		const files = scrape({}, { downloadFiles: ['csv'] });
		const file = { name: 'result.csv' };
		const answers = await Promise.all([call(scrape(form)), call(files, { keyword: 'pan' })]);

		expect(answers).toMatchObject([
			{ answer: [{ title: expect.stringContaining('lamp') }] },
			{ answer: [{ title: expect.stringContaining('pan'), downloaded_files: [file] }] },
		]);
		expect(await bench.sandbox.runs()).toHaveLength(2);
	});

	it('knows whether calling again starts another run', async () => {
		await bench.sandbox.setOutput({ bot: '1001', outputSchema: {}, output: [] });
		const nothing = await call(scrape());
		expect(JSON.stringify(nothing.answer)).toContain('brought no rows');

		const refused = await call(scrape({ input: '{ "max_results": 900 }' }));
		expect(refused.error).toMatch(/max_results.*so this tool may be called again\.$/s);
		expect(await bench.sandbox.runs()).toHaveLength(1);

		await takes(60_000);
		const failing = call(scrape(), { keyword: 'doomed' });
		const taskId = await startedRun('doomed');
		await bench.sandbox.moveRun({ taskId, status: 'failed' });
		expect((await failing).error).toMatch(
			new RegExp(`^Run ${taskId} failed.*Calling this tool again starts another run\\.$`, 's'),
		);

		const limited = await call(scrape({}, { waitLimit: 0.001, atWaitLimit: 'continue' }));
		expect(limited.answer).toMatchObject([{ status: 'running', timed_out: true }]);
	});

	it('has no workflow whose trigger could be notified, but addresses', async () => {
		const refused = await call(scrape({ notify: 'trigger' }));
		expect(refused.error).toMatch(/so this tool may be called again\.$/);
		expect(await bench.sandbox.runs()).toEqual([]);

		const callbackUrl = 'http://127.0.0.1:9/completed';
		const { answer } = await call(scrape({ notify: 'urls', callbackUrl }));
		expect(answer).toMatchObject([{ title: expect.stringContaining('lamp') }]);
		const [start] = await bench.sandbox.requests({ operation: 'bot.run' });
		expect(start?.body).toMatchObject({ callback_url: callbackUrl });
	});
});

async function startedRun(keyword: string): Promise<string> {
	const { taskId } = await until(
		async () => (await bench.sandbox.runs()).find(({ input }) => input.keyword === keyword),
		`a run for ${keyword}`,
		30_000,
	);
	return taskId;
}

describe('an agent that talks', () => {
	let model: ChatModel;

	afterEach(async () => await model?.close());

	/** What n8n streams of a talk in which the model makes these calls of its only tool. */
	async function talk(tool: object, calls: object[]): Promise<string> {
		model = await ChatModel.start([calls.map((given) => ({ arguments: { ...given } }))]);
		const data = { apiKey: 'none', url: model.url };
		const openAi = await client.createCredential('Scripted', 'openAiApi', data);
		const address = `/projects/${projectId}/agents/v2`;
		const agent = await client.request('POST', address, {
			name: 'Agent',
			schema: {
				name: 'Agent',
				model: 'openai/scripted',
				credential: openAi.credentialId,
				instructions: 'Go',
				tools: [{ name: 'Bot', description: 'Runs a bot', ...tool }],
			},
		});
		const { url, headers } = client.session;
		const talked = await fetchAlone(`${url}/rest${address}/${textOf(agent, 'id')}/chat`, {
			method: 'POST',
			headers: { ...headers, 'content-type': 'application/json' },
			body: JSON.stringify({ message: 'Go' }),
		});
		return await talked.text();
	}

	it.each([
		['three times, each with rows of its own', ['one', 'two', 'three'], 100],
		['that takes 75 seconds, and is answered in the call', ['long'], 75_000],
	])('calls the bot %s', async (_, words, ms) => {
		await takes(ms);
		const type = { nodeType: TOOL, nodeTypeVersion: 1 };
		const node = { ...type, nodeParameters: scrape(), credentials: credentials() };
		const calls = words.map((keyword) => ({ keyword }));
		const said = await talk({ type: 'node', node }, calls);

		for (const word of words)
			expect(said).toMatch(new RegExp(`"tool-result".*title":"[^"]*${word}`));
		expect((await bench.sandbox.runs()).map(({ input }) => input.keyword)).toEqual(words);
	});

	it.each([4_000, 20_000])('is answered in the call where the bot takes %i ms', async (ms) => {
		await takes(ms);
		const name = `Workflow of ${ms} ms`;
		const line = [calledTrigger, bench.botNode(scrape(LAMP))];
		const { workflowId } = await client.createWorkflow(workflowOf(name, line));
		const said = await talk({ type: 'workflow', workflow: name, workflowId }, [{}]);

		expect(said).toMatch(/"tool-result".*"status":"success".*lamp/);
		expect(await bench.sandbox.runs()).toHaveLength(1);
	});
});

describe('the AI Assistant', () => {
	async function execute(parameters: object, timeoutMs = 15_000): Promise<unknown> {
		const config = { parameters, credentials: credentials() };
		return await ask('assistant', { type: ACTION, version: 1, config, timeoutMs });
	}

	const lamp = (options = {}) => scrape(LAMP, options);

	it.each([2_000, 10_000])('gets the rows of a bot that takes %i ms', async (ms) => {
		await takes(ms);
		expect(await execute(lamp())).toMatchObject({
			status: 'success',
			output: [[{ json: { title: expect.stringContaining('lamp') } }]],
		});
		expect(await bench.sandbox.runs()).toHaveLength(1);
	});

	it.each([
		['which goes on', {}, 'running', { status: 'running', timed_out: true, hint: GOES_ON }],
		['canceled where the user wants that', { cancelRunsWhen: ['limit'] }, 'canceled', undefined],
	])('gets the run of one that outlasts the limit, %s', async (_, options, status, json) => {
		await takes(60_000);
		const answer = await execute(lamp(options));
		const runs = await bench.sandbox.runs();

		expect(runs).toMatchObject([{ status }]);
		const task_id = runs[0]?.taskId;
		if (json === undefined)
			expect(answer).toHaveProperty('error.message', expect.stringContaining(String(task_id)));
		else
			expect(answer).toMatchObject({
				status: 'success',
				output: [[{ json: { task_id, ...json } }]],
			});
	});

	it('gets the run when the user’s own limit is reached, and has no trigger to notify', async () => {
		await takes(60_000);
		const limited = await execute(lamp({ waitLimit: 0.001 }));
		const [run] = await bench.sandbox.runs();
		const named = expect.stringContaining(String(run?.taskId));
		expect(limited).toHaveProperty('error.message', named);

		const refused = await execute({ ...lamp(), notify: 'trigger' });
		expect(refused).toHaveProperty('error.message', expect.stringContaining('Trigger'));
		expect(await bench.sandbox.runs()).toHaveLength(1);
	});
});

describe('Evaluations', () => {
	/** Has n8n evaluate two cases with a published workflow whose bot notifies the trigger beside it. */
	async function evaluate(options = {}) {
		const tables = `/projects/${projectId}/data-tables`;
		const columns = [{ name: 'keyword', type: 'string' }];
		const name = `Cases ${Date.now()}`;
		const table = textOf(await client.request('POST', tables, { name, columns }), 'id');
		const data = [{ keyword: 'lamp' }, { keyword: 'pan' }];
		await client.request('POST', `${tables}/${table}/insert`, { data });
		const input = '={{ { keyword: $json.keyword, max_results: 1 } }}';
		const price = { id: '1', name: 'price', value: '={{ $json.price }}', type: 'number' };
		const line: NodeSketch[] = [
			{
				name: 'Case',
				type: 'n8n-nodes-base.evaluationTrigger',
				typeVersion: 4.7,
				parameters: { source: 'dataTable', dataTableId: { __rl: true, mode: 'id', value: table } },
			},
			bench.botNode(scrape({ input, notify: 'trigger' }, options)),
			{
				name: 'Metrics',
				type: 'n8n-nodes-base.evaluation',
				typeVersion: 4.8,
				parameters: {
					...{ operation: 'setMetrics', metric: 'customMetrics' },
					metrics: { assignments: [price] },
				},
			},
		];
		const trigger = callbackTrigger(bench.credential);
		const workflow = await client.publish(beside(workflowOf('Evaluated', line), trigger));
		const address = `/workflows/${workflow.workflowId}/test-runs`;
		await client.request('POST', `${address}/new`, {});
		return { workflow, address };
	}

	/** Waits until the evaluation is over. @returns its cases */
	async function casesOf(address: string): Promise<unknown> {
		const ended = async () => {
			const run = await latest(address);
			return !['new', 'running'].includes(String(run.status)) && run;
		};
		const { id } = await until(ended, 'the end of the evaluation', 120_000, 500);
		return await client.request('GET', `${address}/${String(id)}/test-cases`);
	}

	async function latest(address: string): Promise<Record<string, unknown>> {
		const listed: unknown = await client.request('GET', address);
		const [run = {}] = Array.isArray(listed) ? listed.filter(isRecord) : [];
		return run;
	}

	it('get the metrics of each case, and the workflow’s trigger is notified', async () => {
		await takes(4_000);
		const { workflow, address } = await evaluate();
		const price = { status: 'success', metrics: { price: expect.any(Number) } };

		expect(await casesOf(address)).toMatchObject([price, price]);
		const runs = await bench.sandbox.runs();
		expect(runs).toHaveLength(2);
		const reported = (await triggered(client, workflow, 2)).flat().map(({ task_id }) => task_id);
		expect(reported.sort()).toEqual(runs.map(({ taskId }) => taskId).sort());
		await client.deactivate(workflow);
	}, 180_000);

	it('fail a case whose limit is reached with its run, and cancel the runs when they are stopped', async () => {
		await takes(60_000);
		const limited = await evaluate({ waitLimit: 0.001 });
		const error = { status: 'error' };
		expect(await casesOf(limited.address)).toMatchObject([error, error]);
		await client.deactivate(limited.workflow);

		await bench.sandbox.reset();
		await takes(60_000);
		const { workflow, address } = await evaluate();
		await startedRun('lamp');
		await client.request('POST', `${address}/${String((await latest(address)).id)}/cancel`, {});
		const areCanceled = async (): Promise<boolean> =>
			(await bench.sandbox.runs()).every(({ status }) => status === 'canceled');
		await until(areCanceled, 'the runs to be canceled', 60_000);
		await client.deactivate(workflow);
	}, 180_000);
});
