import type { IExecuteFunctions } from 'n8n-workflow';

import {
	claimsExecutions,
	layResumingEntry,
	runIndexOf,
} from '../../../nodes/BrowserAutomation/execution/waiting/platform';
import { insideNode } from '../insideNode';

it('the round of a node is the first where n8n does not say', async () => {
	const roundIn = async (data: object): Promise<number> => {
		const n8n = { getWorkflowDataProxy: () => data };
		return (await insideNode((context) => [runIndexOf(context)], {}, n8n))[0] ?? NaN;
	};
	expect(await roundIn({ $runIndex: 2 })).toBe(2);
	expect(await roundIn({})).toBe(0);
});

it('n8n resumes an execution only while it sleeps where its address is signed', () => {
	expect(claimsExecutions('https://n8n.example.com/webhook-waiting/1?signature=a')).toBe(true);
	expect(claimsExecutions('https://n8n.example.com/webhook-waiting/1?token=a')).toBe(false);
});

describe('an execution that is put to sleep', () => {
	const node = { name: 'Run', alwaysOutputData: true };
	const items = [{ json: { keyword: 'a' } }];
	const entryOf = () => ({
		node,
		data: { main: [items, null] },
		source: { main: [{ previousNode: 'Start' }] },
		metadata: { subRun: 1 },
	});

	/** Lays the entry that resumes the node, of an entry and what n8n keeps of the execution. */
	async function layIn(executeData: unknown, executionData: unknown): Promise<void> {
		const runExecutionData = { resultData: {}, executionData };
		const lay = (context: IExecuteFunctions): true => (layResumingEntry(context, 3), true);
		await insideNode(lay, {}, { executeData, runExecutionData });
	}

	it('has the node carried out again with its input, and passes nothing on before', async () => {
		const entry = entryOf();
		const nodeExecutionStack: unknown[] = ['what comes next'];
		await layIn(entry, { nodeExecutionStack });
		expect(nodeExecutionStack).toEqual([
			{ ...entryOf(), runIndex: 3, metadata: { subRun: 1, nodeWasResumed: true } },
			'what comes next',
		]);
		expect(entry).toEqual({
			...entryOf(),
			data: { main: [] },
			node: { ...node, alwaysOutputData: false },
		});
	});

	it('keeps its input from what n8n does to that of the present entry', async () => {
		const nodeExecutionStack: Array<ReturnType<typeof entryOf>> = [];
		await layIn(entryOf(), { nodeExecutionStack });
		items.push({ json: { keyword: 'later' } });
		expect(nodeExecutionStack[0]?.data.main[0]).toHaveLength(1);
		items.pop();
	});

	it('is left as it is where its entry or its stack is not known', async () => {
		const nodeExecutionStack: unknown[] = [];
		await layIn(undefined, { nodeExecutionStack });
		expect(nodeExecutionStack).toEqual([]);
		const entry = entryOf();
		for (const executionData of [undefined, {}]) await layIn(entry, executionData);
		expect(entry).toEqual(entryOf());
	});
});
