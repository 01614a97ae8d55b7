import type { INodeParameters } from 'n8n-workflow';

import { callOwnAddress } from '../../nodes/BrowserAutomation/transport/ownAddress';
import type { TriggerCall, WebhookTrigger } from '../core/harness';
import { chosen, forAllTests } from '../fixture';
import { until } from '../timeLapse';
import { callBack, ORIGIN, OWN, REFUSAL, startedWith, TriggerFixture } from './triggerFixture';
import { UNKNOWN, warnings } from './triggerFixture';
import { keepChecking } from '../../nodes/BrowserAutomation/triggers/openRuns';

jest.mock('../../nodes/BrowserAutomation/transport/ownAddress');

const fixture = forAllTests(new TriggerFixture());

/** What came of the calls that the trigger has made of itself. */
let own: TriggerCall[] = [];

beforeEach(() => {
	own = [];
	jest.mocked(callOwnAddress).mockClear();
	warnings();
	const { timeout } = AbortSignal;
	jest.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => {
		return timeout(ms >= 25_000 ? ms : ms / 25);
	});
});

afterEach(async () => {
	jest.restoreAllMocks();
	await fixture.sandbox.clearFaults();
	await fixture.sandbox.clearRequests();
});

function reachable(trigger: WebhookTrigger): WebhookTrigger {
	jest.mocked(callOwnAddress).mockImplementation(async (_caller, _method, url) => {
		const query = Object.fromEntries(new URL(url).searchParams);
		const call = await trigger.callWebhook({ query });
		own.push(call);
		return { status: call.response.status, body: {} };
	});
	return trigger;
}

/** A run that goes on, of which the trigger has heard. */
async function heardOf(trigger: WebhookTrigger, idName = 'task_id'): Promise<string> {
	const taskId = await fixture.seedRun('running');
	await callBack(trigger, { [idName]: taskId, status: 'running' });
	return taskId;
}

async function checkAll(trigger: WebhookTrigger): Promise<TriggerCall> {
	return await trigger.callWebhook({ query: { check: '' } });
}

/** The trigger starts the workflow by itself, with each of these runs alone. */
async function expectTold(...taskIds: string[]): Promise<void> {
	const events = () => own.flatMap((call) => startedWith(call) ?? []);
	await until(() => events().length >= taskIds.length, `${taskIds.length} to be reported`);
	const told = events().map(({ task_id }) => task_id);
	expect(told.sort()).toEqual([...taskIds].sort());
}

/** A run ends without a callback: the trigger's check finds that. */
async function expectEndFound(trigger: WebhookTrigger, taskId: string): Promise<void> {
	await fixture.sandbox.moveRun({ taskId, status: 'finished' });
	await checkAll(trigger);
	await expectTold(taskId);
}

it.each([
	['run', 'task_id', '^/v3/bots/runs/\\d+$'],
	['task of V2', 'id', '/get-task$'],
])('a callback about a %s that could not be checked is not lost', async (_, idName, path) => {
	const trigger = reachable(fixture.trigger());
	const taskId = await fixture.seedRun();
	await fixture.sandbox.addFault({ ...REFUSAL, path, times: 1 });
	const refused = await callBack(trigger, { [idName]: taskId, status: 'finished' });
	await checkAll(trigger);
	await expectTold(taskId);

	expect(refused).toMatchObject({ response: { status: 503 }, run: undefined });
});

/** What n8n answers in the place of nodes. */
const STARTING = 'n8n is starting up. Please wait';

/** The pauses and calls of a published trigger, and n8n's log. @param answers to its calls, undefined for none; with the last it is unpublished */
async function whilePublished(
	answers: Array<number | typeof STARTING | undefined>,
): Promise<{ pauses: number[][]; urls: string[]; log: string[] }> {
	const trigger = fixture.trigger({}, { workflowId: 'checks' });
	const log = warnings();
	const pauses: number[][] = [[]];
	const urls: string[] = [];
	jest.mocked(AbortSignal.timeout).mockImplementation((ms) => {
		pauses.at(-1)?.push(ms / 1_000);
		const over = new AbortController();
		setImmediate(() => over.abort());
		return over.signal;
	});
	let stop = async (): Promise<void> => {};
	const isOver = new Promise<void>((resolve) => {
		jest.mocked(callOwnAddress).mockImplementation(async (_caller, _method, url) => {
			const status = answers[urls.length];
			urls.push(url);
			pauses.push([]);
			if (urls.length >= answers.length) {
				await stop();
				resolve();
			}
			if (status === STARTING) return { status: 200, body: status };
			return status === undefined ? undefined : { status, body: { message: 'Done' } };
		});
	});
	stop = await trigger.listen();
	await isOver;
	for (let turn = 0; turn < 10; turn++) await new Promise((resolve) => setImmediate(resolve));
	return { pauses, urls, log };
}

it('a published trigger checks its open runs some seconds later, and then every five minutes', async () => {
	const { pauses, urls, log } = await whilePublished([200, 503, 200]);

	const url = `${fixture.trigger({}, { workflowId: 'checks' }).url()}?check=`;
	expect(pauses).toEqual([[10], [300], [300], [300]]);
	expect(urls).toEqual([url, url, url]);
	expect(log).toEqual([]);
});

it('a trigger that cannot reach itself goes on trying, and says so once each time that this lasts', async () => {
	const none = Array.from({ length: 11 }, () => undefined);
	const { pauses, log } = await whilePublished([...none, 200, STARTING, 404, ...none, 200]);

	const tenSeconds = (count: number) => Array.from({ length: count }, () => [10]);
	expect(pauses.slice(0, -1)).toEqual([...tenSeconds(12), [300], ...tenSeconds(13)]);
	const line = expect.stringContaining(`cannot reach its own address ${ORIGIN}: it will miss runs`);
	expect(log).toEqual([line, line]);
});

it.each([200, 503, undefined])('an unpublished trigger checks no more: %s', async (status) => {
	const { urls, log } = await whilePublished([status]);

	expect(urls).toHaveLength(1);
	expect(log).toEqual([]);
});

it('a trigger that an editor listens to does not check by itself', async () => {
	await fixture.trigger({}, { isTest: true }).listen();

	expect(AbortSignal.timeout).not.toHaveBeenCalled();
});

it('a trigger does not check by itself where n8n does not tell its address', () => {
	const context: Parameters<typeof keepChecking>[0] = Object({
		getMode: () => 'trigger',
		getNode: () => fixture.trigger().node,
		getWorkflow: () => ({ id: '1' }),
	});
	keepChecking(context);

	expect(AbortSignal.timeout).not.toHaveBeenCalled();
});

it('runs that have gone on without a callback are reported, those that stand as before cost nothing', async () => {
	const trigger = reachable(fixture.trigger());
	const [lost, same] = [await heardOf(trigger), await heardOf(trigger)];
	await fixture.sandbox.moveRun({ taskId: lost, status: 'finished' });
	await fixture.sandbox.clearRequests();
	await checkAll(trigger);
	await expectTold(lost);
	const late = await callBack(trigger, { task_id: lost, status: 'finished' });

	expect(late).toMatchObject({ response: { status: 200 }, run: undefined });
	expect(own).toHaveLength(1);
	expect(await fixture.sandbox.requests({ path: `/${same}` })).toEqual([]);
});

it('runs that could not be read when they ended are reported once they can be, also after a restart', async () => {
	const workflowId = fixture.newWorkflowId();
	const trigger = fixture.trigger({}, { workflowId });
	const { taskIds } = await fixture.sandbox.seedRuns({ count: 3, statuses: ['finished'] });
	await fixture.sandbox.addFault({ ...REFUSAL, path: '/runs' });
	for (const task_id of taskIds) await callBack(trigger, { task_id, status: 'finished' });
	const refused = await checkAll(trigger);
	await fixture.sandbox.clearFaults();
	await checkAll(reachable(fixture.restartedTrigger({}, { workflowId })));
	await expectTold(...taskIds);

	expect(refused.response.status).toBe(503);
});

it.each([
	['in the n8n that heard of it', false],
	['after a restart', true],
])('a task of V2 is checked as one, %s', async (_, isRestarted) => {
	const workflowId = fixture.newWorkflowId();
	const trigger = reachable(fixture.trigger({}, { workflowId }));
	const taskId = await heardOf(trigger, 'id');
	await fixture.sandbox.addFault({ ...UNKNOWN, path: `^/v3/bots/runs/${taskId}` });
	const restarted = (): WebhookTrigger => fixture.restartedTrigger({}, { workflowId });
	await expectEndFound(isRestarted ? reachable(restarted()) : trigger, taskId);
});

it('a run is checked though a forged callback names it as a task of V2, which the service does not know', async () => {
	const trigger = reachable(fixture.trigger());
	const taskId = await heardOf(trigger);
	await fixture.sandbox.addFault({ ...UNKNOWN, path: '/get-task$' });
	await callBack(trigger, { id: taskId, status: 'finished' });
	await expectEndFound(trigger, taskId);
});

it('the trigger’s own run is one of them, though no callback ever came', async () => {
	const trigger = reachable(fixture.trigger(OWN));
	await trigger.activate();
	await expectEndFound(trigger, await fixture.latestRun());
});

it.each([
	['run', 'bot', 'task_id', { botId: chosen('1001') }],
	['task of V2', 'workflow', 'id', { workflowId: chosen('1001') }],
])('a %s that a node starts for it is one of them', async (_, resource, idName, owner) => {
	const workflowId = fixture.newWorkflowId();
	const trigger = reachable(fixture.trigger({}, { workflowId }));
	const other = fixture.trigger({}, { workflowId, name: 'Other', id: 'other' });
	const setup = { workflowId, beside: [other.node, trigger.node] };
	const parameters = { resource, ...owner, triggerName: trigger.node.name };
	await fixture.runAndNotify(parameters, setup);
	const taskId = await fixture.latestRun();
	await until(() => own.length > 0, 'it to be reported');
	await expectEndFound(trigger, taskId);

	const url = `${trigger.url('setup')}?check=&${idName}=${taskId}`;
	expect(callOwnAddress).toHaveBeenCalledWith(expect.anything(), 'POST', url, 30_000);
	expect(own[0]).toMatchObject({ response: { status: 200 }, run: undefined });
});

it('so is one that the service does not know in the first moment', async () => {
	const { trigger, setup } = beside();
	await fixture.sandbox.addFault({ ...UNKNOWN, path: '^/v3/bots/runs/\\d+$', times: 1 });
	await fixture.runAndNotify({}, setup);
	await until(() => own.length > 1, 'it to be reported again');
	await expectEndFound(trigger, await fixture.latestRun());
});

it('a run that a node of another workflow starts for it is one of them, too', async () => {
	const trigger = reachable(fixture.trigger());
	const statusUrl = { notify: 'urls', statusChangeCallbackUrl: trigger.url('setup') };
	await fixture.runAndNotify(statusUrl, { workflowId: fixture.newWorkflowId() });
	await until(() => own.length > 0, 'it to be reported');
	await expectEndFound(trigger, await fixture.latestRun());
});

/** A trigger, and the workflow that it is in. */
function beside(isTest = false) {
	const workflowId = fixture.newWorkflowId();
	const trigger = reachable(fixture.trigger({}, { workflowId, isTest }));
	return { trigger, setup: { workflowId, beside: [trigger.node] } };
}

const OTHER_WEBHOOK = { notify: 'urls', statusChangeCallbackUrl: `${ORIGIN}/webhook/other` };

it.each<[string, boolean, INodeParameters]>([
	['no trigger', false, { notify: 'none' }],
	['a trigger that an editor listens to', true, {}],
	['another webhook of this n8n', false, OTHER_WEBHOOK],
])('a run that notifies %s is not checked from its start', async (_, isTest, parameters) => {
	const { trigger, setup } = beside(isTest);
	await trigger.activate();
	await fixture.runAndNotify(parameters, { ...setup, mode: 'manual', active: false });
	await trigger.deactivate();

	expect(callOwnAddress).not.toHaveBeenCalled();
	expect((await fixture.sandbox.runs()).at(-1)?.statusCallbackUrl).toBe(
		isTest ? trigger.url('setup') : (parameters.statusChangeCallbackUrl ?? null),
	);
});

it('a run that is reused is not checked, as nobody was to be notified of it', async () => {
	const { setup } = beside();
	const reusing = { input: '{ "keyword": "reused" }', limits: { reuseWithin: 30 } };
	await fixture.runAndNotify({ ...reusing, notify: 'none' }, setup);
	const started = await fixture.sandbox.runs();
	await fixture.runAndNotify(reusing, setup);

	expect(await fixture.sandbox.runs()).toHaveLength(started.length);
	expect(callOwnAddress).not.toHaveBeenCalled();
});

it('a start that is refused is nothing to check', async () => {
	const { setup } = beside();
	await fixture.sandbox.addFault({ ...REFUSAL, method: 'POST', path: '/runs$' });
	await fixture.runAndNotify({}, setup);

	expect(await fixture.sandbox.requests({ method: 'POST', path: '/runs$' })).toHaveLength(1);
	expect(callOwnAddress).not.toHaveBeenCalled();
});

it('of many runs that a node starts for it, it hears of no more than twenty at once', async () => {
	const { setup } = beside();
	const answers: Array<() => void> = [];
	jest.mocked(callOwnAddress).mockImplementation(async () => {
		await new Promise<void>((resolve) => answers.push(resolve));
		return { status: 200, body: {} };
	});
	const items = Array.from({ length: 25 }, () => ({ json: {} }));
	await fixture.runAndNotify({}, { ...setup, items });
	expect(answers).toHaveLength(20);
	for (const answer of answers) answer();
	await until(() => answers.length === 25, 'all to be reported');
	for (const answer of answers) answer();
});

it('a run that is gone is no longer checked', async () => {
	const trigger = reachable(fixture.trigger());
	const taskId = await heardOf(trigger);
	await fixture.sandbox.addFault({ ...UNKNOWN, path: `/${taskId}$` });
	const answer = await trigger.callWebhook({ query: { check: '', task_id: taskId } });
	await fixture.sandbox.clearRequests();
	await checkAll(trigger);

	expect(answer).toMatchObject({ response: { status: 503 }, run: undefined });
	expect(await fixture.reads()).toBe(0);
});
