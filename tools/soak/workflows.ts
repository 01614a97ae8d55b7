import type { StoredWorkflow } from '../../dev/n8n/client';
import { workflowOf, type NodeSketch, type WorkflowDefinition } from '../../dev/n8n/workflow';
import type { Kind } from './plan';
import { chosen, credentialsOf, ourNode, ourTrigger, split, webhookNode } from '../bench/workflows';
import type { Account, Setup } from './service';

/** Names of the nodes that the audit reads. */
export const NODES = { hook: 'Hook', start: 'Start Only', bot: 'Bot', trigger: 'Trigger' };

const FORMATS = ['json', 'csv', 'md', 'xml'];

/** How many files a result holds that is asked for with its files. */
export const FILES_OF_A_RESULT = FORMATS.length;

/** Where executions of a kind are begun, below n8n's `/webhook/`. */
export function hookPath(kind: Kind): string {
	return `soak-${kind}`;
}

/** The workflows with triggers. */
export interface Workflows {
	/** One run is started each time that it is published. */
	own: StoredWorkflow;
	/** What the trigger is notified of. */
	notified: StoredWorkflow;
	polling: StoredWorkflow;
}

/** Stores and publishes what sleeps: one item, and a batch whose errors leave by the error output. */
export async function publishWaiting(setup: Setup): Promise<void> {
	await setup.client.publish(line('asleep', [runBot(setup, 'main', 'automatic')]));
	await setup.client.publish(
		line('batch', [runBot(setup, 'limited', 'automatic', {}, ERRORS_OUT)]),
	);
}

const ERRORS_OUT = { onError: 'continueErrorOutput' };

/** Stores and publishes a workflow for each other kind, and those of the triggers. */
export async function publishOthers(setup: Setup): Promise<Workflows> {
	const { client } = setup;
	await client.publish(line('poll', [runBot(setup, 'polled', 'poll')]));
	await client.publish(
		line('existing', [
			runBot(setup, 'polled', 'none', {}, { name: NODES.start }),
			node(setup, 'polled', {
				...{ resource: 'run', operation: 'wait', output: 'simplified' },
				taskId: chosen('={{ $json.task_id }}'),
			}),
		]),
	);
	const files = { files: { downloadFiles: FORMATS } };
	await client.publish(line('files', [runBot(setup, 'polled', 'automatic', files, ERRORS_OUT)]));
	const notifying = { notify: 'trigger' };
	const notified = await client.publish(
		merged('Notified', [
			line('notify', [runBot(setup, 'main', 'none', notifying)]),
			line('notifyAsleep', [runBot(setup, 'main', 'automatic', notifying)], ' 2'),
			workflowOf('Trigger', [ourTrigger(of(setup, 'main'))]),
		]),
	);
	const events = ['runFinished', 'runFailed', 'runCanceled'];
	const polling = await client.publish(
		workflowOf('Polling', [
			{
				name: NODES.trigger,
				type: 'n8n-nodes-browser-automation.browserAutomationPollingTrigger',
				parameters: { pollTimes: { item: [{ mode: 'everyMinute' }] }, events },
				credentials: credentialsOf(of(setup, 'polled')),
			},
		]),
	);
	const own = await client.createWorkflow(ownRun(setup, 'word-own'));
	return { own, notified, polling };
}

/** The trigger that starts a run itself, known in the service by a word. */
export function ownRun(setup: Setup, word: string): WorkflowDefinition {
	const own = {
		source: 'own',
		inputMode: 'json',
		start: 'bot',
		botId: chosen('1001'),
		input: JSON.stringify({ keyword: word, max_results: 1 }),
	};
	return workflowOf('Own run', [ourTrigger(of(setup, 'main'), own)]);
}

/** A webhook that takes `{ job, items }`, and nodes that get an item each. */
function line(kind: Kind, nodes: NodeSketch[], suffix = ''): WorkflowDefinition {
	const path = hookPath(kind);
	return workflowOf(kind, [
		{ ...webhookNode(path), name: `${NODES.hook}${suffix}` },
		{ ...split, name: `Items${suffix}` },
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
	setup: Setup,
	account: Account,
	waitForCompletion: string,
	parameters: Record<string, unknown> = {},
	further: Partial<NodeSketch> = {},
): NodeSketch {
	return node(
		setup,
		account,
		{
			resource: 'bot',
			operation: 'run',
			botId: chosen('={{ $json.bot }}'),
			inputMode: 'json',
			input: '={{ $json.input }}',
			waitForCompletion,
			output: 'simplified',
			...parameters,
		},
		further,
	);
}

function node(
	setup: Setup,
	account: Account,
	parameters: Record<string, unknown>,
	further: Partial<NodeSketch> = {},
): NodeSketch {
	return { ...ourNode(of(setup, account), parameters), name: NODES.bot, ...further };
}

/** An account's credential, as nodes are made with. */
function of({ credentials }: Setup, account: Account) {
	return { credential: credentials[account] };
}
