import type { IExecuteFunctions } from 'n8n-workflow';

import {
	passFence,
	inRound,
	newestLedger,
	rememberLedger,
} from '../../../nodes/BrowserAutomation/execution/waiting/fence';
import {
	endSuspensions,
	noteHandlesRequests,
} from '../../../nodes/BrowserAutomation/execution/waiting/suspension/suspensions';
import { executeRuns } from '../../../nodes/BrowserAutomation/execution/waiting/executeRuns';
import { keepLedger } from '../../../nodes/BrowserAutomation/execution/waiting/batch/ledger';
import { V3_RUNS } from '../../../nodes/BrowserAutomation/service/runs/runApi';
import { insideNode } from '../insideNode';
import { fallAsleep, ledgerOf, request, running, suspensionWith } from './ledgerOf';
import type { Entry, Ledger } from './ledgerOf';

let executions = 0;

/** A call of the node in an execution of its own, or in that of another call. */
function callOf(
	executionId = `execution ${++executions}`,
	runIndex = 0,
	known: string[] = [],
	additionalData: object = { restartExecutionId: undefined },
) {
	const recorded = new Set(known);
	const context = {
		getExecutionId: () => executionId,
		getMode: () => 'trigger',
		getNode: () => ({ id: 'a', name: 'Run', type: 'x' }),
		additionalData,
		getParentNodes: () => [],
		getWorkflow: () => ({ id: '1' }),
		getWorkflowDataProxy: () => ({ $runIndex: runIndex, $execution: {} }),
		getContext: () => ({}),
		isToolExecution: () => false,
		runExecutionData: { resultData: { runData: {} }, executionData: {} },
		helpers: {
			getProcessedDataCount: async () => recorded.size,
			checkProcessedAndRecord: async (values: string[]) => {
				const processed = values.filter((value) => recorded.has(value));
				for (const value of values) recorded.add(value);
				return { new: values.filter((value) => !processed.includes(value)), processed };
			},
		},
	};
	return context as unknown as IExecuteFunctions;
}

function setResumed(context: IExecuteFunctions): void {
	Object.assign(Reflect.get(context, 'additionalData'), { restartExecutionId: '1' });
}

function ledgerIn(executionId: string, more: Partial<Ledger> = {}): Ledger {
	return ledgerOf([running()], { executionId, ...more });
}

describe('the newest ledger of a round', () => {
	const retried = { executionId: 'retried', resumes: 9, isCanceled: true } as const;

	it.each<[string, boolean, Partial<Ledger>, true | undefined]>([
		['handed over, where it is newer', false, { resumes: 3 }, undefined],
		['handed over, where it is no older', false, { resumes: 2 }, undefined],
		['remembered, where an older one is handed over', true, { resumes: 1 }, undefined],
		['remembered, canceled on the older one’s page', true, { resumes: 1, isCanceled: true }, true],
		['remembered, where that of the retried execution is handed over', true, retried, undefined],
	])('is the one that is %s', (_, isRemembered, more, isCanceled) => {
		const id = `execution ${++executions}`;
		const [newest, kept] = [ledgerIn(id, { resumes: 2 }), ledgerIn(id, more)];
		rememberLedger(callOf(id), newest);
		expect(newestLedger(callOf(id), kept)).toBe(isRemembered ? newest : kept);
		expect(newest.isCanceled).toBe(isCanceled);
	});

	it('is remembered until a day after its wait limit, though the node is not called again', () => {
		const [id, day] = [`execution ${++executions}`, 86_400_000];
		const newest = ledgerIn(id, { deadline: Date.now() + 2 * day });
		rememberLedger(callOf(id), newest);
		jest.useFakeTimers({ now: newest.deadline + day - 1_000 });
		expect(newestLedger(callOf(id), undefined)).toBe(newest);
		jest.useRealTimers();
	});
});

it('a call of the node waits for the call of the same round that goes on: n8n before 2.14 resumes an execution that is awake', async () => {
	const id = `execution ${++executions}`;
	const order: string[] = [];
	let end = (): void => undefined;
	const first = inRound(callOf(id), async () => {
		await new Promise<void>((resolve) => (end = resolve));
		order.push('first');
	});
	const second = inRound(callOf(id), async () => order.push('second'));
	await inRound(callOf(id, 1), async () => order.push('another round'));
	end();
	await Promise.all([first, second]);
	expect(order).toEqual(['another round', 'first', 'second']);
});

describe('a suspension from which the execution was resumed before', () => {
	const suspension = suspensionWith('used');
	const stale = () => ({ ...ledgerOf([running('7'), { request }]), suspension });
	const source = { api: V3_RUNS, attach: () => '7' };
	const getCredentials = async () => await Promise.reject(new Error('No credential'));

	it('starts nothing in another process, and no retry does: that is known before anything else fails, which would have its wave count as not sent', async () => {
		const resume = async (context: IExecuteFunctions): Promise<Ledger> => {
			setResumed(context);
			const stored = { ...stale(), executionId: context.getExecutionId(), waveEnd: 2 };
			keepLedger(context.getContext('node'), stored);
			// With Retry On Fail n8n executes it again at once.
			for (let count = 0; count < 2; count++)
				await expect(executeRuns(context, source)).rejects.toThrow('from an old state of it');
			return stored;
		};
		const { helpers } = callOf('1', 0, ['used']);
		const ledger = await insideNode(resume, { mode: 'trigger' }, { helpers, getCredentials });
		expect(ledger.entries).toMatchObject([running('7'), { refusal: { isUncertain: true } }]);
		expect(ledger.suspension).toEqual(suspension);
	});

	it('keeps that a person had all canceled meanwhile, though another node has ended the suspension', async () => {
		const resume = async (context: IExecuteFunctions): Promise<Ledger> => {
			const stored = { ...stale(), executionId: context.getExecutionId() };
			keepLedger(context.getContext('node'), stored);
			fallAsleep(stored).noteWantsAllCanceled();
			endSuspensions(stored.executionId);
			await expect(executeRuns(context, source)).rejects.toThrow('No credential');
			return stored;
		};
		const ledger = await insideNode(resume, { mode: 'trigger' }, { getCredentials });
		expect(ledger).toMatchObject({ isCanceled: true });
		// It says to a retry that nothing of its wave was sent.
		expect(ledger).not.toHaveProperty('suspension');
	});

	it('is none to the node that n8n executes again, as it has failed (Retry On Fail)', async () => {
		const resume = async (context: IExecuteFunctions): Promise<string[]> => {
			setResumed(context);
			const stored = { ...stale(), executionId: context.getExecutionId() };
			keepLedger(context.getContext('node'), stored);
			const failures: string[] = [];
			const keepFailure = (error: unknown) => void failures.push(String(error));
			for (let count = 0; count < 2; count++) await executeRuns(context, source).catch(keepFailure);
			await passFence(context, stale()).catch(keepFailure);
			return failures;
		};
		const { helpers } = callOf();
		const failures = await insideNode(resume, { mode: 'trigger' }, { helpers, getCredentials });
		const no = expect.stringContaining('No credential');
		expect(failures).toEqual([no, no, expect.stringContaining('from an old state of it')]);
	});

	it.each([
		['of a node of n8n’s own', { restartExecutionId: '1' }],
		['of a worker that died, in n8n 1', {}],
	])('may be one %s: n8n’s database knows that this round was begun', async (_, additionalData) => {
		const id = `execution ${++executions}`;
		const begun = [`${id} 0 Run`];
		const fresh = (entry: Entry = { request }) => ledgerIn(id, { entries: [entry] });
		await passFence(callOf(id, 0, begun), fresh());
		const repeated = callOf(id, 0, begun, additionalData);
		await passFence(repeated, fresh({ taskId: '7' }));
		const ledger = fresh();
		await expect(passFence(repeated, ledger)).rejects.toThrow('old state');
		expect(ledger.entries).toMatchObject([{ refusal: { isUncertain: true } }]);
	});

	it('keeps a first call in the resumed execution, whose round was begun before, from starting anything', async () => {
		const sent = jest.fn();
		const starts = { api: V3_RUNS, start: () => request };
		const record = async ([event = '', own = '']) => ({ new: [own], processed: [event] });
		const credential = { baseUrl: 'https://service.example.com', apiKey: 'key' };
		const known = { checkProcessedAndRecord: record, getProcessedDataCount: async () => 1 };
		const helpers = { ...known, httpRequestWithAuthentication: sent };
		const resume = async (context: IExecuteFunctions): Promise<string> => {
			setResumed(context);
			return String(await executeRuns(context, starts).catch((error: unknown) => error));
		};
		const n8n = { helpers, getCredentials: async () => credential };
		const failure = await insideNode(resume, { mode: 'trigger' }, n8n);
		expect(failure).toContain('from an old state of it');
		expect(sent).not.toHaveBeenCalled();
	});

	it('may be the job of a worker that died, in n8n 1, which goes on where it has nothing to start', async () => {
		const ledger = { ...ledgerOf([running('7')]), suspension };
		await passFence(callOf(undefined, 0, ['used'], {}), ledger);
		expect(ledger.entries).toEqual([running('7')]);
		await expect(passFence(callOf(undefined, 0, ['used'], {}), stale())).rejects.toThrow();
		const resumed = callOf(undefined, 0, ['used'], { restartExecutionId: '1' });
		await expect(passFence(resumed, ledger)).rejects.toThrow('old state');
	});

	it('is left to this process’s memory where there is no other', async () => {
		noteHandlesRequests();
		const ledger = stale();
		await passFence(callOf(undefined, 0, ['used']), ledger);
		expect(ledger).toEqual(stale());
	});
});
