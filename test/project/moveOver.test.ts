import { isWorkflowDefinition, type WorkflowNode } from '../../dev/n8n/workflow';
import { moveOver } from '../../tools/docs/moveOver';
import { ActionFixture, chosen, forAllTests } from '../fixture';
import { ACTION } from '../fixture/nodeTypes';
import { lapseTime } from '../timeLapse';
import { codeBlocksOf } from './markdown';

lapseTime();

/** What moves over from BrowserAct's own nodes, or from HTTP Request, in the form that n8n copies it. */

const OWN = 'n8n-nodes-browseract.browserAct';
const OLDER = 'n8n-nodes-browseract-workflows.browserAct';
const HTTP = 'n8n-nodes-base.httpRequest';

/** A field of the form in BrowserAct's own node. */
function inputField(name: string, further: object = {}): object {
	return { id: `input-${name}`, displayName: name, type: 'string', required: false, ...further };
}

const ownNode = {
	name: 'Find Offers',
	type: OWN,
	typeVersion: 1,
	position: [220, 0],
	onError: 'continueErrorOutput',
	credentials: { browserActApi: { id: '7', name: 'BrowserAct account' } },
	parameters: {
		type: 'WORKFLOW',
		workflowId: '1001',
		timeout: 1800,
		workflowConfig: {
			mappingMode: 'defineBelow',
			value: { 'input-keyword': '= {{ $json.product }} ', 'input-max_results': ' 2 ' },
			schema: [
				inputField('keyword', { required: true }),
				inputField('max_results'),
				inputField('shop', { removed: true }),
			],
		},
	},
};

const httpStart = {
	name: 'Start It',
	type: HTTP,
	parameters: {
		method: 'POST',
		url: 'https://api.browseract.com/v2/workflow/run-task',
		sendBody: true,
		specifyBody: 'json',
		jsonBody:
			'={ "workflow_id": "1001", "input_parameters": [{ "name": "keyword", "value": "{{ $json.product }}" }] }',
		options: {},
	},
};

function httpRead(parameters: object) {
	return { name: 'Read It', type: HTTP, parameters: { options: {}, ...parameters } };
}

function workflowOf(nodes: object[], further: object = {}): string {
	return JSON.stringify({ nodes, connections: {}, ...further });
}

function movedNodes(...nodes: object[]): WorkflowNode[] {
	const workflow: unknown = JSON.parse(moveOver(workflowOf(nodes)).workflow);
	if (!isWorkflowDefinition({ name: '', ...Object(workflow) })) throw new Error('No workflow');
	const { nodes: moved }: { nodes: WorkflowNode[] } = Object(workflow);
	return moved.filter(({ type }) => type === ACTION);
}

const fixture = forAllTests(new ActionFixture());

beforeEach(async () => await fixture.sandbox.reset());

/** Carries a node out that stays awake, and resolves an expression behind it, as later nodes do. */
async function play(node: WorkflowNode | undefined, expression = READ) {
	const {
		resource = '',
		operation = '',
		...parameters
	}: Record<string, string> = Object(node?.parameters);
	const awake = { waitForCompletion: 'poll', ...parameters };
	const items = [{ json: { product: 'lamp', id: await finishedTask() } }];
	const run = await fixture.run(resource, operation, awake, { items, probe: expression });
	expect(run.error).toBeUndefined();
	return run.probed[0]?.[0];
}

async function finishedTask(): Promise<string> {
	const { taskIds } = await fixture.sandbox.seedRuns({ count: 1, statuses: ['finished'] });
	return String(taskIds[0]);
}

async function sentInput(): Promise<unknown> {
	const [request] = await fixture.sandbox.requests({ operation: 'workflow.run' });
	const { input_parameters }: { input_parameters?: unknown } = Object(request?.body);
	return input_parameters;
}

/** What later nodes read of the result. */
const READ = '{{ [$json.output?.string, $json.id, $json.status] }}';
const id = expect.stringMatching(/^\d+$/);
const result = [expect.stringMatching(/^\[\{"position":1,"title":/), id, 'finished'];

describe('a node that comes in place of BrowserAct’s own', () => {
	it('gives later nodes what they read, and the service the same input', async () => {
		const [node] = movedNodes(ownNode);
		expect(await play(node)).toEqual(result);
		expect(await sentInput()).toEqual([
			{ name: 'keyword', value: 'lamp' },
			{ name: 'max_results', value: '2' },
		]);
	});

	it('gives later nodes a run that has failed, too', async () => {
		const parameters = { type: 'WORKFLOW', workflowId: '1004' };
		const [node] = movedNodes({ ...ownNode, parameters });
		expect(await play(node, '{{ $json.status }}')).toBe('failed');
	});

	it('keeps its name, place and settings, and asks for the credential that n8n calls so by default', () => {
		const { name, position, onError } = ownNode;
		const [node] = movedNodes(ownNode);
		expect(node).toMatchObject({
			...{ name, position, onError },
			credentials: { browserAutomationApi: { name: 'Browser Automation account' } },
		});
	});

	it.each([
		[1800, 0.5],
		['=600', 0.1667],
		['={{ $json.minutes * 60 }}', '={{ ($json.minutes * 60) / 3600 }}'],
		[undefined, 1],
	])('waits as long: %p seconds are %p hours, then cancels and goes on', (timeout, waitLimit) => {
		const [node] = movedNodes({ ...ownNode, parameters: { ...ownNode.parameters, timeout } });
		expect(node?.parameters).toMatchObject({
			waiting: { waitLimit, atWaitLimit: 'continue' },
			limits: { cancelRunsWhen: ['stop', 'limit'] },
		});
	});

	it('runs a template in its region', () => {
		const { workflowConfig } = ownNode.parameters;
		const parameters = { templateId: '2001', proxyRegion: 'DE', workflowConfig };
		expect(movedNodes({ ...ownNode, parameters })[0]?.parameters).toMatchObject({
			...{ resource: 'workflowTemplate', templateId: { mode: 'id', value: '2001' } },
			options: { proxyRegion: 'DE' },
		});
	});

	it('goes on when a run pauses, where another node looks for that, which is said', () => {
		const conditions = [{ leftValue: '={{ $json.status }}', rightValue: 'paused' }];
		const next = { name: 'Which Way', type: 'n8n-nodes-base.switch', parameters: { conditions } };
		expect(movedNodes(ownNode, next)[0]).toMatchObject({
			parameters: { waiting: { whenPaused: 'continue' } },
		});
		expect(moveOver(workflowOf([ownNode, next])).todo).toEqual([
			expect.stringContaining(
				'credential, if it is not called "Browser Automation account": "Find Offers"',
			),
			expect.stringMatching(/'When a Run Pauses'.*: "Which Way"/),
			expect.stringMatching(/reads the status.*: "Which Way"/),
		]);
		expect(JSON.stringify(movedNodes(ownNode))).not.toContain('whenPaused');
	});
});

describe('nodes of the older package', () => {
	const start = {
		name: 'Begin',
		type: OLDER,
		parameters: {
			workflowId: '1001',
			inputParameters: { parameters: [{ name: 'keyword', value: '={{ $json.product }}' }] },
			additionalFields: {},
		},
	};
	const waiting = { waitForFinish: true, maxWaitTime: 900 };
	const parameters = { operation: 'getTask', taskId: '={{ $json.id }}', ...waiting };
	const wait = { name: 'Fetch', type: OLDER, parameters };

	it('stay a pair: one starts, the other waits', async () => {
		const [starting, awaiting] = movedNodes(start, wait);
		expect(await play(starting)).toEqual([undefined, id, 'created']);
		expect(await sentInput()).toEqual([{ name: 'keyword', value: 'lamp' }]);
		expect(await play(awaiting)).toEqual(result);
		expect(awaiting?.parameters).toMatchObject({ waiting: { waitLimit: 0.25 } });
	});

	it('wait by themselves, where no other node does, and only read, where they did not wait', () => {
		expect(movedNodes(start)[0]?.parameters).not.toHaveProperty('waitForCompletion');
		const [node] = movedNodes({ ...wait, parameters: { ...parameters, waitForFinish: false } });
		expect(node?.parameters).toMatchObject({ resource: 'task', operation: 'get' });
	});
});

describe('HTTP requests to the V2 API', () => {
	const ask = httpRead({
		url: '=https://api.browseract.com/v2/workflow/get-task?task_id={{ $json.id }}',
	});

	it('that start a run become a node that waits for it, where a loop asks for it', async () => {
		expect(await play(movedNodes(httpStart, ask)[0])).toEqual(result);
		expect(await sentInput()).toEqual([{ name: 'keyword', value: 'lamp' }]);
		const { todo } = moveOver(workflowOf([httpStart, ask]));
		expect(todo).toContainEqual(expect.stringMatching(/loop.* can go: "Start It"/));
		expect(movedNodes(httpStart)[0]?.parameters).toHaveProperty('waitForCompletion', 'none');
	});

	it('may have the fields of a form', () => {
		const { url } = httpStart.parameters;
		const bodyParameters = { parameters: [{ name: 'workflow_id', value: '1001' }] };
		const [node] = movedNodes({ ...httpStart, parameters: { url, bodyParameters } });
		expect(node?.parameters).toMatchObject({ operation: 'run', workflowId: { value: '1001' } });
	});

	it.each([
		ask.parameters,
		{
			url: 'https://api.browseract.com/v2/workflow/get-task',
			queryParameters: { parameters: [{ name: 'task_id', value: '={{ $json.id }}' }] },
		},
	])('that read a task become one that does: %j', async (parameters) => {
		expect(await play(movedNodes(httpRead(parameters))[0])).toEqual(result);
	});
});

describe('what cannot be moved', () => {
	const item = { name: 'item', value: 'a' };
	const url = '=https://api.browseract.com/v2/workflow/get-task?task_id=1';
	const twice = { workflowId: '1', inputParameters: { parameters: [item, item] } };
	const jsonBody = '{ "workflow_id": "1", "callback_url": "x" }';
	const withHeaders = { response: { response: { fullResponse: true } } };

	it.each<[what: string, node: { type: string; parameters: object }]>([
		['an agent of the oldest version', { type: OWN, parameters: { agentId: '5', task: 'Look' } }],
		['a node without a workflow', { type: OWN, parameters: {} }],
		['an input that comes twice', { type: OLDER, parameters: twice }],
		['a request to another API', httpRead({ url: 'https://api.browseract.com/v2/agent/run-task' })],
		['a request with a callback', httpRead({ ...httpStart.parameters, jsonBody })],
		['an answer with headers', httpRead({ url, options: withHeaders })],
	])('stays as it is, and is named: %s', (_, other) => {
		const named = { ...other, name: 'Other' };
		const { workflow, todo } = moveOver(workflowOf([ownNode, named]));

		const { nodes }: { nodes: unknown[] } = Object(JSON.parse(workflow));
		expect(nodes[1]).toEqual(named);
		expect(todo).toContainEqual('Replace by hand: "Other".');
	});

	it('are nodes of others, and all else', () => {
		const note = { name: 'Note', type: 'n8n-nodes-base.stickyNote', parameters: { content: 'a' } };
		const further = { connections: { a: { main: [] } }, pinData: { a: [] }, meta: { x: 1 } };
		const { workflow } = moveOver(workflowOf([note, ownNode], further));
		expect(JSON.parse(workflow)).toEqual({ ...further, nodes: [note, expect.anything()] });
	});

	it.each([
		...['', 'no JSON', 'null', '{ "nodes": {} }'].map((text) => [text, 'no workflow']),
		[workflowOf([{ name: 'Start', type: 'n8n-nodes-base.manualTrigger' }]), 'No node'],
	])('is what is no workflow, or has no such nodes: %p', (text, words) => {
		const todo = [expect.stringContaining(String(words))];
		expect(moveOver(String(text))).toEqual({ workflow: '', todo });
	});
});

describe('the nodes to paste in docs/use/coming-from.md', () => {
	const blocks = codeBlocksOf('docs/use/coming-from.md').filter(
		({ language }) => language === 'json',
	);
	const [run, rows] = blocks.flatMap(({ code }) => {
		const { nodes }: { nodes: WorkflowNode[] } = JSON.parse(code.replaceAll(/\d{14}/g, '1001'));
		return nodes;
	});

	/** A node as a user has it who has chosen a bot and filled in its form. */
	const filledIn = (node: WorkflowNode | undefined, parameters: object): WorkflowNode => ({
		...{ name: '', type: ACTION },
		parameters: { ...Object(node?.parameters), ...parameters },
	});
	const inputFields = { mappingMode: 'defineBelow', value: { keyword: 'laptop' } };

	it('leave later nodes as they are', async () => {
		expect(await play(filledIn(run, { inputFields }))).toEqual(result);
	});

	it('give a row for each item', async () => {
		expect(await play(filledIn(rows, { inputFields }), '{{ $json.title }}')).toContain('laptop');
	});

	it('go on when a run pauses, with the option', async () => {
		const waiting = { whenPaused: 'continue' };
		const node = filledIn(run, { workflowId: chosen('1003'), waiting });
		expect(await play(node, '{{ [$json.id, $json.status] }}')).toEqual([id, 'paused']);
	});
});
