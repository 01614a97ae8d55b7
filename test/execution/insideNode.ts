import { NodeConnectionTypes, type IExecuteFunctions, type INodeExecutionData } from 'n8n-workflow';
import type { INodeType, INodeTypeDescription } from 'n8n-workflow';

import { Harness, type RunOptions } from '../core/harness';

/** What n8n has in place of its own, by name; what is undefined it has not got. */
export type Otherwise = Record<string, unknown>;

type Work = (context: IExecuteFunctions) => Promise<void>;

class Worker implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Worker',
		name: 'worker',
		group: ['transform'],
		version: 1,
		description: 'Does some work',
		defaults: { name: 'Worker' },
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		properties: [],
	};

	work: Work = async () => undefined;

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		await worker.work(this);
		return [[]];
	}
}

const worker = new Worker();

export const WORKER = 'example.worker';

const harness = new Harness({
	nodes: { [WORKER]: worker, [`${WORKER}Tool`]: worker },
	binaryData: 'filesystem',
});

/** Does some work as a node does it in n8n, or in an n8n that has something else in place of its own. */
export async function insideNode<T>(
	work: (context: IExecuteFunctions) => Promise<T> | T,
	how: Partial<RunOptions> = {},
	otherwise: Otherwise = {},
): Promise<T> {
	const done: T[] = [];
	worker.work = async (context) => {
		done.push(await work(anotherN8n(context, otherwise)));
	};
	const { error } = await harness.run({ nodeType: WORKER, ...how });
	const [result] = done;
	if (result === undefined) throw error ?? new Error('Nothing came of the work');
	return result;
}

function anotherN8n(context: IExecuteFunctions, otherwise: Otherwise): IExecuteFunctions {
	return new Proxy(context, {
		has: (target, name) =>
			Object.hasOwn(otherwise, name) ? otherwise[String(name)] !== undefined : name in target,
		get: (target, name): unknown =>
			Object.hasOwn(otherwise, name) ? otherwise[String(name)] : Reflect.get(target, name),
	});
}
