import { setImmediate } from 'node:timers/promises';
import type { IExecuteFunctions } from 'n8n-workflow';

import {
	storeResumedAt,
	staleWritesUntil,
	stayAwakeForLaterNodes,
} from '../../../../nodes/BrowserAutomation/execution/waiting/suspension/staleWrites';
import { keepLedger } from '../../../../nodes/BrowserAutomation/execution/waiting/batch/ledger';
import { executeRuns } from '../../../../nodes/BrowserAutomation/execution/waiting/executeRuns';
import {
	endSuspensions,
	noteHandlesRequests,
} from '../../../../nodes/BrowserAutomation/execution/waiting/suspension/suspensions';
import type { Claim } from '../../../../nodes/BrowserAutomation/execution/waiting/suspension/suspension';
import { V3_RUNS } from '../../../../nodes/BrowserAutomation/service/runs/runApi';
import type { RunOptions } from '../../../core/harness';
import { lapseTime } from '../../../timeLapse';
import { insideNode, type Otherwise } from '../../insideNode';
import { asleepWith, fallAsleep } from '../ledgerOf';

lapseTime();

/** Whether a pause lasts longer than a moment. It is waited for. */
async function lasts(pause: Promise<unknown>): Promise<boolean> {
	let isOver = false;
	const over = pause.finally(() => (isOver = true));
	await setImmediate();
	const lasted = !isOver;
	await over;
	return lasted;
}

const RESUMING: Claim = { isAnswered: () => true, mayBeTakenOver: () => false };
const MINUTE = 60_000;

/** Notes that the execution sleeps in this process, until n8n's wait timer resumes it in so many milliseconds, and that a handler resumes it. */
function resumeByHandler(context: IExecuteFunctions, timerIn = MINUTE, resuming = RESUMING): void {
	const known = { executionId: context.getExecutionId(), deadline: Date.now() + MINUTE };
	const ledger = asleepWith([], known, { timerAt: Date.now() + timerIn });
	fallAsleep(ledger, { isProduction: context.getMode() !== 'manual' }).noteClaim(resuming);
}

function resume(context: IExecuteFunctions, timerAt = 0): void {
	storeResumedAt(context, endSuspensions(context.getExecutionId()), timerAt);
}

type Prepare = (context: IExecuteFunctions) => void;

async function stays(how: Partial<RunOptions> = {}, prepare: Prepare = () => undefined) {
	return await insideNode(async (context) => {
		prepare(context);
		resume(context);
		return staleWritesUntil(context) > Date.now();
	}, how);
}

describe('before it sleeps again, an execution that has started something', () => {
	it('waits no longer where n8n’s clock is set back meanwhile', async () => {
		await insideNode(async (context) => {
			resume(context);
			const until = staleWritesUntil(context);
			const clock = jest.spyOn(Date, 'now').mockReturnValue(until - 8_000);
			expect(staleWritesUntil(context)).toBe(until);
			clock.mockReturnValue(until + 8_001);
			expect(staleWritesUntil(context)).toBe(until);
			clock.mockReturnValue(until - 8_001);
			expect(staleWritesUntil(context)).toBe(0);
			clock.mockRestore();
			return true;
		});
	});

	it('waits where a handler resumed it that is not of the only process', async () => {
		expect(await stays({}, resumeByHandler)).toBe(true);
	});

	it('waits for nothing where a handler of the only process resumed it, but in the editor', async () => {
		noteHandlesRequests();
		expect(await stays({}, resumeByHandler)).toBe(false);
		expect(await stays({ mode: 'manual' }, resumeByHandler)).toBe(true);
		expect(await stays()).toBe(true);
	});

	const failed: Claim = { ...RESUMING, mayBeTakenOver: () => true };

	it.each<[boolean, string, Array<[timerIn: number, resuming?: Claim]>]>([
		[true, 'is near', [[1_000]]],
		[true, 'has just gone by', [[-5_000]]],
		[true, 'was of an earlier sleep', [[-5_000], [MINUTE]]],
		[true, 'is far, and the handler has failed', [[MINUTE, failed]]],
		[false, 'has long gone by', [[-20_000]]],
		[false, 'has been used', [[-1, failed], [MINUTE]]],
	])('waits (%s) where the date of n8n’s wait timer %s', async (expected, _, resumes) => {
		noteHandlesRequests();
		const stay = await stays({}, (context) => {
			for (const how of resumes) {
				endSuspensions(context.getExecutionId());
				resumeByHandler(context, ...how);
			}
		});
		expect(stay).toBe(expected);
	});
});

describe('before it passes results on, an execution that was resumed', () => {
	const behind = (...children: object[]): Otherwise => ({ getChildNodes: () => children });

	async function keepsResults(n8n: Otherwise, isResumed = true): Promise<boolean> {
		const end = async (context: IExecuteFunctions): Promise<boolean> => {
			if (isResumed) resume(context);
			return await lasts(stayAwakeForLaterNodes(context));
		};
		return await insideNode(end, {}, n8n);
	}

	const of = (type: string, operation?: string) => ({
		type: `n8n-nodes-base.${type}`,
		...(type !== 'waiting' && { parameters: { operation } }),
	});

	const chat = { getParentNodes: () => [{ type: '@n8n/n8n-nodes-langchain.chatTrigger' }] };

	it.each<[boolean, object, Otherwise?]>([
		[true, of('wait')],
		[true, of('form')],
		[true, of('executeWorkflow')],
		[true, of('chat')],
		[true, of('slack', 'sendAndWait')],
		[true, of('github', 'dispatchAndWait')],
		[true, of('respondToWebhook'), chat],
		[true, of('agent'), { getParentNodes: () => [of('slackHitlTool', 'sendAndWait')] }],
		[false, of('slack', 'send')],
		[false, of('waiting')],
		[false, of('respondToWebhook')],
	])('waits (%s) for 4 s where %j may put it to sleep again', async (expected, node, n8n = {}) => {
		const begun = Date.now();
		expect(await keepsResults({ ...behind(of('set'), node), ...n8n })).toBe(expected);
		if (expected) expect(Date.now() - begun).toBeGreaterThanOrEqual(4_000);
		expect(Date.now() - begun).toBeLessThan(10_000);
	});

	it('waits for nothing where it was not resumed, or no node is behind', async () => {
		expect(await keepsResults(behind(of('wait')), false)).toBe(false);
		expect(await keepsResults(behind())).toBe(false);
	});

	it.each([
		[74_000, 84_000],
		[76_000, 4_000],
		[-1, 4_000],
	])('waits until n8n’s timer has gone off, if due in %d ms: %d ms', async (inMs, expected) => {
		const begun = Date.now();
		const end = async (context: IExecuteFunctions): Promise<boolean> => {
			resume(context, begun + inMs);
			await stayAwakeForLaterNodes(context);
			return true;
		};
		await insideNode(end, {}, behind(of('wait')));
		const took = Date.now() - begun;
		expect(took).toBeGreaterThanOrEqual(expected);
		expect(took).toBeLessThan(expected + 1_000);
	});

	it('asks n8n for all that is behind the node, with parameters', async () => {
		const getChildNodes = jest.fn(() => []);
		await keepsResults({ getChildNodes });
		expect(getChildNodes).toHaveBeenCalledWith('Worker', { includeNodeParameters: true });
	});
});

it('a handler whose call was not answered keeps the resumed node from doing anything', async () => {
	const begun = Date.now();
	const getCredentials = async (): Promise<never> => {
		expect(Date.now() - begun).toBeGreaterThanOrEqual(300);
		throw new Error('No credential');
	};
	const resumeUnanswered = async (context: IExecuteFunctions): Promise<true> => {
		const executionId = context.getExecutionId();
		keepLedger(context.getContext('node'), asleepWith([], { executionId }));
		const isAnswered = (): boolean => Date.now() >= begun + 300;
		resumeByHandler(context, MINUTE, { ...RESUMING, isAnswered });
		const source = { api: V3_RUNS, attach: () => '1' };
		await expect(executeRuns(context, source)).rejects.toThrow('No credential');
		return true;
	};
	await insideNode(resumeUnanswered, {}, { getCredentials });
});

it('a resumed execution that passes a failure on waits for n8n’s timer before a later node puts it to sleep', async () => {
	const begun = Date.now();
	const resumed = async (context: IExecuteFunctions) => {
		const executionId = context.getExecutionId();
		const stored = asleepWith([], { executionId }, { timerAt: begun + 30_000 });
		keepLedger(context.getContext('node'), stored);
		return await executeRuns(context, { api: V3_RUNS, attach: () => '1' });
	};
	const n8n = {
		getCredentials: async () => await Promise.reject(new Error('No credential')),
		getChildNodes: () => [{ name: 'Wait', type: 'n8n-nodes-base.wait' }],
	};
	const outputs = await insideNode(resumed, { onError: 'continueRegularOutput' }, n8n);
	expect(outputs).toMatchObject([{ json: { error: 'No credential' } }]);
	expect(Date.now() - begun).toBeGreaterThanOrEqual(40_000);
});
