import type { IConnections, IExecuteFunctions, ISourceData, INode } from 'n8n-workflow';
import type { INodeCredentials, INodeExecutionData, INodeParameters } from 'n8n-workflow';
import type { INodeType, INodeTypeDescription, IWorkflowBase } from 'n8n-workflow';

import { START_TYPE } from '../../../core/harness/nodes';
import { ACTION } from '../../../fixture/nodeTypes';
import { chosen } from '../../../fixture/parameters';
import type { Process } from './process';
import type { Story } from './story';

// As n8n's own: a node of another package might sleep.
const STEP_TYPE = 'n8n-nodes-base.step';
const LOOP_TYPE = 'n8n-nodes-base.loop';
const FORK_TYPE = 'n8n-nodes-base.fork';
const WAIT_TYPE = 'n8n-nodes-base.wait';

/** The first waiting node, and the one after it. */
const A = 'Run A';
const B = 'Run B';

/** The step before n8n's Wait node, or between two waiting ones; and the last node. */
export const BETWEEN = 'Between';
export const END = 'End';

/** Gives the keyword of the input item that an item goes back to. */
const KEYWORD = "$('Start').item.json.keyword";

/** How many runs a waiting node may start in an execution. */
export function maxRunsOf({ items, allowed: { max } }: Story): number | undefined {
	return max === undefined ? undefined : Math.max(1, items + max);
}

export interface Deed {
	node: string;
	keyword: unknown;
	taskId: unknown;
	/** When it did, in milliseconds since 1970. */
	at: number;
}

function described(name: string, more: Partial<INodeTypeDescription> = {}): INodeTypeDescription {
	const frame = { name, displayName: name, group: ['transform' as const], version: 1 };
	const places = { inputs: ['main' as const], outputs: ['main' as const], properties: [] };
	return { ...frame, description: '', defaults: { name: '' }, ...places, ...more };
}

/** The node types around the waiting node; `note` hears of each item that a step is carried out for. */
export function otherNodes(process: Process, note: (deed: Deed) => void) {
	return {
		[STEP_TYPE]: stepNode(process, note),
		[LOOP_TYPE]: loopNode,
		[FORK_TYPE]: forkNode,
		[WAIT_TYPE]: waitNode,
	};
}

/** A node whose work the world outside notices, such as one that sends a message for each item. */
function stepNode(process: Process, note: (deed: Deed) => void): INodeType {
	return {
		description: described('step', {
			properties: [{ displayName: 'Keyword', name: 'keyword', type: 'string', default: '' }],
		}),
		async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
			const items = this.getInputData();
			const node = this.getNode().name;
			const results: INodeExecutionData[] = [];
			for (const [item, { json }] of items.entries()) {
				const keyword = this.getNodeParameter('keyword', item);
				await process.effect(node, () =>
					note({ node, keyword, taskId: json.task_id, at: Date.now() }),
				);
				results.push({ json: { ...json, keyword }, pairedItem: { item } });
			}
			return [results];
		},
	};
}

interface LoopMemory {
	left?: INodeExecutionData[];
	done?: INodeExecutionData[];
	source?: ISourceData;
}

/** What n8n's Loop Over Items does: batches at the second output, everything at the first in the end. */
const loopNode: INodeType = {
	description: described('loop', {
		outputs: ['main', 'main'],
		properties: [{ displayName: 'Batch Size', name: 'batchSize', type: 'number', default: 1 }],
	}),
	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		const context: LoopMemory = this.getContext('node');
		const batchSize = Number(this.getNodeParameter('batchSize', 0));
		const items = this.getInputData();
		if (context.left === undefined) {
			context.source = this.getInputSourceData();
			context.left = items.map((item, index) => ({ ...item, pairedItem: { item: index } }));
			context.done = [];
		} else {
			const sourceOverwrite = this.getInputSourceData();
			const pairedWith = (item: number) => ({ pairedItem: { item, sourceOverwrite } });
			const came = items.map((item, index) => ({ ...item, ...pairedWith(index) }));
			context.done = [...(context.done ?? []), ...came];
		}
		const sourceOverwrite = context.source;
		const batch = context.left.splice(0, batchSize).map((item) => ({
			...item,
			pairedItem: { ...Object(item.pairedItem), sourceOverwrite },
		}));
		return batch.length === 0 ? [context.done ?? [], []] : [[], batch];
	},
};

/** What n8n's If does: some items at the first output, the others at the second. */
const forkNode: INodeType = {
	description: described('fork', { outputs: ['main', 'main'] }),
	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		const items = this.getInputData().map((item, index) => ({ ...item, pairedItem: index }));
		return [items.splice(0, firstHalf(items.length)), items];
	},
};

/** How many of a story's items come first where they are divided. */
function firstHalf(items: number): number {
	return Math.ceil(items / 2);
}

/** What n8n's Wait node does for longer times: it sleeps, and passes its input on when it is resumed. */
const waitNode: INodeType = {
	description: described('wait'),
	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		await this.putExecutionToWait(new Date(Date.now() + WAIT_MS));
		return [[...this.getInputData()]];
	},
};

/** How long the Wait node sleeps, in milliseconds. */
export const WAIT_MS = 120_000;

/** The keywords of a story's items, in its first execution or one of its copies. */
export function keywordsOf({ items }: Story, copy = -1): string[] {
	const suffix = copy < 0 ? '' : ` of copy ${copy}`;
	return Array.from({ length: items }, (_, index) => `item ${index}${suffix}`);
}

/** What the keyword of an item says of which copy it is; empty for none. */
export function copyNameIn(keyword: unknown): string {
	return / of copy \d+/.exec(String(keyword))?.[0] ?? '';
}

export function waitingNodesOf({ shape }: Story): string[] {
	return shape === 'two' || shape === 'between' ? [A, B] : [A];
}

/** How many items come together to a waiting node that has more than one round; undefined where it has one. */
export function roundOf({ shape, items, batch }: Story): number | undefined {
	if (shape === 'fork') return firstHalf(items);
	return shape === 'loop' ? batch : undefined;
}

/** How many times a waiting node may sleep one after the other. */
export function roundsOf(story: Story): number {
	const round = roundOf(story);
	return round === undefined ? waitingNodesOf(story).length : Math.ceil(story.items / round);
}

export function workflowOf(story: Story, credentials: INodeCredentials): IWorkflowBase {
	const { cancelAfter, reuseWithin } = story.allowed;
	const node = (name: string, type: string, parameters: INodeParameters = {}): INode => {
		return { id: name, name, type, typeVersion: 1, position: [0, 0], parameters };
	};
	const waiting = (name: string): INode => ({
		...node(name, ACTION, {
			resource: 'bot',
			operation: 'run',
			botId: chosen(name.slice(-1)),
			inputMode: 'json',
			input: `={{ { keyword: ${KEYWORD} } }}`,
			waitForCompletion: story.keepsRunning ? 'poll' : 'automatic',
			output: 'simplified',
			waiting: {
				waitLimit: story.limit / 60,
				atWaitLimit: story.atLimit,
				...(story.whenPaused === 'continue' && { whenPaused: 'continue' }),
			},
			limits: {
				...given({ maxRuns: maxRunsOf(story), cancelAfter, reuseWithin }),
				...(story.cancelsUnfinished && { cancelRunsWhen: ['limit', 'refusal'] }),
			},
		}),
		webhookId: name,
		credentials,
		...(story.goesOn && { onError: 'continueRegularOutput' as const }),
	});
	const step = (name: string): INode => node(name, STEP_TYPE, { keyword: `={{ ${KEYWORD} }}` });
	const [start, a, b, end] = [node('Start', START_TYPE), waiting(A), waiting(B), step(END)];
	const [between, wait] = [step(BETWEEN), node('Wait', WAIT_TYPE)];
	const loop = node('Loop', LOOP_TYPE, { batchSize: story.batch });
	const fork = node('If', FORK_TYPE);
	switch (story.shape) {
		case 'one':
			return workflow([start, a, end], inARow(start, a, end));
		case 'two':
			return workflow([start, a, b, end], inARow(start, a, b, end));
		case 'between':
			return workflow([start, a, between, b, end], inARow(start, a, between, b, end));
		case 'wait':
			return workflow([start, a, between, wait, end], inARow(start, a, between, wait, end));
		case 'sibling':
			return workflow([start, a, wait, end], {
				...inARow(a, end),
				Start: { main: [[to(wait), to(a)]] },
			});
		case 'fork':
			return workflow([start, fork, a, end], {
				...inARow(start, fork),
				...inARow(a, end),
				If: { main: [[to(a)], [to(a)]] },
			});
		case 'loop':
			return workflow([start, loop, a, end], {
				...inARow(start, loop),
				...inARow(a, loop),
				Loop: { main: [[to(end)], [to(a)]] },
			});
	}
}

/** The options that the user has set. */
function given(options: Record<string, number | undefined>): Record<string, number> {
	const set = Object.entries(options).filter(([, value]) => value !== undefined);
	return Object.fromEntries(set) as Record<string, number>;
}

const to = ({ name }: INode) => ({ node: name, type: 'main' as const, index: 0 });

function inARow(...nodes: INode[]): IConnections {
	const links = nodes.slice(1).map((next, index) => [nodes[index]?.name, { main: [[to(next)]] }]);
	return Object.fromEntries(links);
}

function workflow(nodes: INode[], connections: IConnections): IWorkflowBase {
	const now = new Date();
	return {
		...{ id: 'workflow-1', name: 'Story', active: true, activeVersionId: 'version-1' },
		...{ isArchived: false, createdAt: now, updatedAt: now, nodes, connections },
		settings: { executionOrder: 'v1' },
	};
}
