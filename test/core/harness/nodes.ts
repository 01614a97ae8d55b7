import {
	NodeConnectionTypes,
	WEBHOOK_NODE_TYPE,
	type IExecuteFunctions,
	type INodeExecutionData,
	type INodeType,
	type INodeTypeDescription,
	type INodeTypes,
} from 'n8n-workflow';
import { convertToTool, TOOL_USER_TYPE, ToolUserNode } from './tool';

export const START_TYPE = 'harness.start';
export const SINK_TYPE = 'harness.sink';

const frame: Pick<INodeTypeDescription, 'group' | 'version' | 'description' | 'defaults'> = {
	group: ['transform'],
	version: 1,
	description: '',
	defaults: { name: '' },
};

/** Stands for whatever comes before the node under test: it emits the items it is given. */
class StartNode implements INodeType {
	description: INodeTypeDescription = {
		...frame,
		name: 'start',
		displayName: 'Start',
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		properties: [
			{ displayName: 'Respond', name: 'responseMode', type: 'string', default: 'onReceived' },
		],
	};

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		return [this.getInputData()];
	}
}

/**
 * Stands for the node connected behind one output. It passes on what it gets and, where the test
 * asked for it, evaluates an expression for each item (for example `{{ $('Start').item.json.id }}`
 * to see which input item an output item is traced back to).
 */
class SinkNode implements INodeType {
	description: INodeTypeDescription = {
		...frame,
		name: 'sink',
		displayName: 'Sink',
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main, NodeConnectionTypes.Main],
		properties: [{ displayName: 'Probe', name: 'probe', type: 'string', default: '' }],
	};

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		const items = this.getInputData();
		const probes = items.map((_, index) => ({
			json: { value: this.getNodeParameter('probe', index, '') },
		}));
		return [items, probes];
	}
}

/**
 * The node types of one harness: those under test and the few the harness brings itself. A node
 * type usable as a tool is also there under its name with `Tool` behind it, as in n8n.
 */
export class HarnessNodeTypes implements INodeTypes {
	private readonly types = new Map<string, INodeType>([
		[START_TYPE, new StartNode()],
		[WEBHOOK_NODE_TYPE, new StartNode()],
		[SINK_TYPE, new SinkNode()],
		[TOOL_USER_TYPE, new ToolUserNode()],
	]);

	constructor(types: Record<string, INodeType>) {
		for (const [name, type] of Object.entries(types)) this.types.set(name, type);
	}

	getByName(name: string): INodeType {
		const type = this.types.get(name);
		if (type !== undefined) return type;
		const base = this.types.get(name.replace(/Tool$/, ''));
		if (base !== undefined) return convertToTool(base);
		const known = [...this.types.keys()].join(', ');
		throw new Error(`The harness has no node type "${name}". It has: ${known}`);
	}

	getByNameAndVersion(name: string): INodeType {
		return this.getByName(name);
	}

	getKnownTypes(): Record<string, never> {
		return {};
	}
}
