import type { IExecuteFunctions } from 'n8n-workflow';

import {
	forgetSubWorkflow,
	layResumingEntry,
	untilSuspended,
} from '../../../nodes/BrowserAutomation/execution/waiting/platform';
import { insideNode } from '../insideNode';

it('an execution that is put to sleep has the node carried out again with its input, whatever n8n does to that of the present entry, which passes nothing on', async () => {
	const items = [{ json: { keyword: 'a' } }];
	const entryOf = () => ({
		node: { name: 'Run', alwaysOutputData: true },
		data: { main: [items, null] },
		source: { main: [{ previousNode: 'Start' }] },
		metadata: { subRun: 1 },
	});
	const nodeExecutionStack: unknown[] = ['what comes next'];
	const entry = entryOf();
	const runExecutionData = { resultData: {}, executionData: { nodeExecutionStack } };
	const lay = (context: IExecuteFunctions): true => (layResumingEntry(context, 3), true);
	await insideNode(lay, {}, { executeData: entry, runExecutionData });
	expect(entry.data).toEqual({ main: [] });
	const laid = { ...entryOf(), runIndex: 3, metadata: { subRun: 1, nodeWasResumed: true } };
	const before = structuredClone(laid);
	items.push({ json: { keyword: 'later' } });
	const { source } = entryOf();
	const node = { name: 'Run', alwaysOutputData: false, disabled: true };
	const skipped = { node, data: { main: [] }, source, metadata: { nodeWasResumed: true } };
	expect(nodeExecutionStack).toEqual([skipped, before, 'what comes next']);
});

it.each([
	['n8n’s hooks have run', 1_000, 1_050],
	['two minutes have passed, as n8n has failed before it came to all hooks', 200_000, 120_050],
	['a moment has passed, in an n8n without hooks', undefined, 100],
])('an execution that is suspended may be resumed once %s', async (_, hooksTake, expected) => {
	jest.useFakeTimers();
	const addHandler = (_name: string, handler: () => void) => void setTimeout(handler, hooksTake);
	const additionalData = { hooks: hooksTake === undefined ? undefined : { addHandler } };
	const begun = Date.now();
	const when = { ready: NaN };
	const wait = (context: IExecuteFunctions): true => {
		void untilSuspended(context).then(() => (when.ready = Date.now() - begun));
		return true;
	};
	await insideNode(wait, {}, { additionalData });
	await jest.advanceTimersByTimeAsync(200_000);
	expect(when.ready).toBe(expected);
	jest.useRealTimers();
});

it.each([
	['integrated', ['running']],
	['trigger', []],
] as const)('what n8n is told of an execution that is suspended in mode %s', async (mode, told) => {
	const statuses: string[] = [];
	const additionalData = { setExecutionStatus: (status: string) => void statuses.push(status) };
	const forget = (context: IExecuteFunctions): true => (forgetSubWorkflow(context), true);
	await insideNode(forget, { mode }, { additionalData });
	expect(statuses).toEqual(told);
});
