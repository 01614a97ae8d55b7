import type { StoredWorkflow } from '../../dev/n8n/client';
import { workflowOf, type NodeSketch, type WorkflowDefinition } from '../../dev/n8n/workflow';
import type { Kind } from './plan';
import type { Account, Stage } from './stage';

/** Names of the nodes that the books read. */
export const NODES = { hook: 'Hook', start: 'Start Only', bot: 'Bot', trigger: 'Trigger' };

const FORMATS = ['json', 'csv', 'md', 'xml'];

/** How many files a result holds that is asked for with its files. */
export const FILES_OF_A_RESULT = FORMATS.length;

const PACKAGE = 'n8n-nodes-browser-automation';

/** Where executions of a kind are begun, below n8n's `/webhook/`. */
export function hookPath(kind: Kind): string {
	return `soak-${kind}`;
}

/** The workflows of a soak. */
export interface Workflows {
	/** One run is started each time that it is published. */
	own: StoredWorkflow;
	/** Of those that hold triggers: what the trigger is told of. */
	triggers: { notified: StoredWorkflow; polling: StoredWorkflow };
}

/** Stores and publishes a workflow for each kind, and those of the triggers. */
export async function publishWorkflows(stage: Stage): Promise<Workflows> {
	const { client } = stage;
	const publish = async (definition: WorkflowDefinition): Promise<StoredWorkflow> => {
		const workflow = await client.createWorkflow(definition);
		await client.activate(workflow);
		return workflow;
	};
	const errorOutput = { onError: 'continueErrorOutput' };
	await publish(line('asleep', [runBot(stage, 'main', 'automatic')]));
	await publish(line('batch', [runBot(stage, 'limited', 'automatic', {}, errorOutput)]));
	await publish(line('poll', [runBot(stage, 'polled', 'poll')]));
	await publish(
		line('existing', [
			runBot(stage, 'polled', 'none', {}, { name: NODES.start }),
			node(stage, 'polled', {
				resource: 'run',
				operation: 'wait',
				taskId: byId('={{ $json.task_id }}'),
				output: 'simplified',
				options: {},
			}),
		]),
	);
	const files = { downloadFiles: FORMATS };
	await publish(line('files', [runBot(stage, 'polled', 'automatic', { files }, errorOutput)]));
	const told = { notify: 'trigger' };
	const notified = await publish(
		merged('Notified', [
			line('notify', [runBot(stage, 'main', 'none', told)]),
			line('notifyAsleep', [runBot(stage, 'main', 'automatic', told)], ' 2'),
			workflowOf('Trigger', [trigger(stage, 'main', { source: 'elsewhere' })]),
		]),
	);
	const polling = await publish(
		workflowOf('Polling', [
			{
				name: NODES.trigger,
				type: `${PACKAGE}.browserAutomationPollingTrigger`,
				parameters: {
					pollTimes: { item: [{ mode: 'everyMinute' }] },
					events: ['runFinished', 'runFailed', 'runCanceled'],
				},
				...credentials(stage, 'polled'),
			},
		]),
	);
	const own = await client.createWorkflow(ownRun(stage, 'word-own'));
	return { own, triggers: { notified, polling } };
}

/** The trigger that starts a run itself, known in the service by a word. */
export function ownRun(stage: Stage, word: string): WorkflowDefinition {
	const own = {
		source: 'own',
		inputMode: 'json',
		start: 'bot',
		botId: byId('1001'),
		input: JSON.stringify({ keyword: word, max_results: 1 }),
	};
	return workflowOf('Own run', [trigger(stage, 'main', own)]);
}

function trigger(stage: Stage, account: Account, parameters: Record<string, unknown>): NodeSketch {
	return {
		name: NODES.trigger,
		type: `${PACKAGE}.browserAutomationTrigger`,
		parameters: { events: ['runFinished', 'runFailed', 'runCanceled'], ...parameters },
		...credentials(stage, account),
	};
}

/** A webhook that takes `{ job, items }`, and nodes that get an item each. */
function line(kind: Kind, nodes: NodeSketch[], suffix = ''): WorkflowDefinition {
	const path = hookPath(kind);
	return workflowOf(kind, [
		{
			name: `${NODES.hook}${suffix}`,
			type: 'n8n-nodes-base.webhook',
			typeVersion: 2,
			webhookId: path,
			parameters: { httpMethod: 'POST', path, options: {} },
		},
		{
			name: `Items${suffix}`,
			type: 'n8n-nodes-base.splitOut',
			parameters: { fieldToSplitOut: 'body.items', options: {} },
		},
		...nodes.map((sketch) => ({ ...sketch, name: `${sketch.name}${suffix}` })),
	]);
}

/** Several lines in one workflow. */
function merged(name: string, lines: WorkflowDefinition[]): WorkflowDefinition {
	return {
		name,
		nodes: lines.flatMap(({ nodes }) => nodes),
		connections: Object.assign({}, ...lines.map(({ connections }) => connections)),
	};
}

function runBot(
	stage: Stage,
	account: Account,
	waitForCompletion: string,
	parameters: Record<string, unknown> = {},
	further: Partial<NodeSketch> = {},
): NodeSketch {
	return node(
		stage,
		account,
		{
			resource: 'bot',
			operation: 'run',
			botId: byId('={{ $json.bot }}'),
			inputMode: 'json',
			input: '={{ $json.input }}',
			waitForCompletion,
			output: 'simplified',
			options: {},
			...parameters,
		},
		further,
	);
}

function node(
	stage: Stage,
	account: Account,
	parameters: Record<string, unknown>,
	further: Partial<NodeSketch> = {},
): NodeSketch {
	return {
		name: NODES.bot,
		type: `${PACKAGE}.browserAutomation`,
		parameters,
		...credentials(stage, account),
		...further,
	};
}

function credentials(stage: Stage, account: Account): Pick<NodeSketch, 'credentials'> {
	const { type, credentialId, name } = stage.credentials[account];
	return { credentials: { [type]: { id: credentialId, name } } };
}

function byId(value: string) {
	return { __rl: true, mode: 'id', value };
}
