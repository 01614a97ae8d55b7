import type { IDataObject } from 'n8n-workflow';

import { END_EVENTS } from '../../nodes/BrowserAutomation/service/events/runEvents';
import { PollCursor } from '../../nodes/BrowserAutomation/service/events/pollCursor';
import { RunPoller } from '../../nodes/BrowserAutomation/service/events/runPoller';
import { partOf } from '../../nodes/BrowserAutomation/service/json/json';
import { apiCredential, chosen, forAllTests } from '../fixture';
import { REFUSAL, Stop, TriggerFixture, warnings } from './triggerFixture';
import type { PollResult } from '../core/harness';

const fixture = forAllTests(new TriggerFixture());

afterEach(async () => {
	jest.restoreAllMocks();
	await fixture.sandbox.reset();
});

const ENDS = { events: [...END_EVENTS] };

/** The events of a poll as `event task_id`; undefined when it started nothing. */
function eventsOf({ items, error }: PollResult): string[] | undefined {
	if (error !== undefined) throw error;
	return items?.[0]?.map(({ json }) => `${json.event} ${json.task_id}`);
}

function itemsOf({ items }: PollResult): IDataObject[] {
	return items?.[0]?.map(({ json }) => json) ?? [];
}

/** The first poll at the activation, and what the workflow keeps then. n8n keeps it in memory. */
async function activate(parameters = {}): Promise<IDataObject> {
	const data: IDataObject = {};
	await fixture.poll(parameters, { mode: 'activation', keep: data });
	return data;
}

const HOUR_MS = 3_600_000;

async function seedBefore(hours: number): Promise<string | undefined> {
	const createdTo = new Date(Date.now() - hours * HOUR_MS).toISOString();
	const seeds = { count: 1, createdFrom: createdTo, createdTo };
	return (await fixture.sandbox.seedRuns(seeds)).taskIds[0];
}

function inNextPoll(act: () => Promise<void> | void): void {
	const { poll } = RunPoller.prototype;
	jest.spyOn(RunPoller.prototype, 'poll').mockImplementationOnce(async function (this: RunPoller) {
		await act();
		return await poll.call(this);
	});
}

function holdNextPoll(): Stop {
	const stop = new Stop();
	inNextPoll(async () => await stop.wait());
	return stop;
}

describe('the first poll', () => {
	it('makes a failed execution where it fails as n8n starts, which would give the trigger up', async () => {
		const kept = await activate();
		await fixture.sandbox.addFault({ ...REFUSAL, path: '/runs$' });
		const { items, failures } = await fixture.poll({}, { mode: 'start', keep: kept });
		await expect(fixture.poll({}, { mode: 'activation' })).rejects.toThrow('refused a parameter');
		await fixture.sandbox.clearFaults();
		const taskId = await fixture.seedRun();

		expect(items).toBeNull();
		expect(failures).toMatchObject([{ message: expect.stringContaining('refused a parameter') }]);
		const next = await fixture.poll(ENDS, { keep: kept });
		expect(eventsOf(next)).toEqual([`runFinished ${taskId}`]);
	});

	it('takes what is there as seen, and tells of what begins and ends afterwards', async () => {
		await fixture.seedRun();
		const going = await fixture.seedRun('running');
		const kept = await activate();
		const fresh = await fixture.seedRun('running');
		const began = await fixture.poll({}, { keep: kept });
		await fixture.sandbox.moveRun({ taskId: going, status: 'finished' });
		const ended = await fixture.poll({}, { keep: kept });

		expect(eventsOf(began)).toEqual([`runStarted ${fresh}`, `runStatusChanged ${fresh}`]);
		expect(eventsOf(ended)).toEqual([`runStatusChanged ${going}`, `runFinished ${going}`]);
		const change = { status: 'finished', previous_status: 'running' };
		expect(itemsOf(ended)).toMatchObject([change, change]);
		expect(eventsOf(await fixture.poll({}, { keep: kept }))).toBeUndefined();
	});

	it('begins earlier when that is wanted', async () => {
		await seedBefore(3);
		const recent = await seedBefore(1);
		const parameters = { events: ['runFinished'], options: { lookBack: 2 } };
		const result = await fixture.poll(parameters, { mode: 'activation' });

		expect(eventsOf(result)).toEqual([`runFinished ${recent}`]);
	});

	it('goes on where it was, after a restart of n8n and at the next activation', async () => {
		const kept = await activate();
		const going = await fixture.seedRun('running');
		await fixture.poll({}, { keep: kept });
		const taskId = await fixture.seedRun();
		await fixture.sandbox.moveRun({ taskId: going, status: 'failed' });
		const again = structuredClone(kept);
		const first = eventsOf(await fixture.poll({}, { mode: 'activation', keep: again }));

		expect(first).toEqual(expect.arrayContaining([`runFinished ${taskId}`, `runFailed ${going}`]));
		expect(eventsOf(await fixture.poll({}, { keep: kept }))?.sort()).toEqual(first?.sort());
	});

	it('goes on where it was after it was renamed', async () => {
		const workflowId = fixture.newWorkflowId();
		const keep = {};
		const poll = async (name: string, mode: 'activation' | 'trigger' = 'trigger') =>
			eventsOf(await fixture.poll(ENDS, { name, mode, workflowId, keep }));
		await poll('Old', 'activation');
		await fixture.seedRun();
		await poll('Old');
		const taskId = await fixture.seedRun();

		expect(await poll('New', 'activation')).toEqual([`runFinished ${taskId}`]);
		expect(await poll('Old', 'activation')).toBeUndefined();
	});

	it('goes on where it was after an edit, though n8n has stored no poll since it was published', async () => {
		const [workflowId, keep] = [fixture.newWorkflowId(), {}];
		const failures = { events: ['runFailed'] };
		await fixture.poll(failures, { mode: 'activation', workflowId, keep });
		const stored = structuredClone(keep);
		await fixture.seedRun();
		for (let polls = 0; polls < 2; polls++) await fixture.poll(failures, { workflowId, keep });
		expect(eventsOf(await fixture.poll(ENDS, { workflowId, keep: stored }))).toBeUndefined();
	});

	it('begins anew at the next activation when that is wanted, but not after a restart of n8n', async () => {
		const parameters = { ...ENDS, options: { whenPublishedAgain: 'beginAnew' } };
		const kept = await activate(parameters);
		const taskId = await fixture.seedRun();
		const restarted = await fixture.poll(parameters, { keep: structuredClone(kept) });
		const activated = await fixture.poll(parameters, { mode: 'activation', keep: kept });

		expect(eventsOf(restarted)).toEqual([`runFinished ${taskId}`]);
		expect(eventsOf(activated)).toBeUndefined();
		expect(eventsOf(await fixture.poll(parameters, { keep: kept }))).toBeUndefined();
	});

	it('goes back so many hours at most when it goes on', async () => {
		const kept = await activate();
		const [[node = '', now] = []] = Object.entries(kept);
		const earlier = new PollCursor(Date.now() - 10 * HOUR_MS).write();
		const cursor = { ...Object(partOf(now, 'cursor')), ...earlier };
		const again: IDataObject = { [node]: { cursor } };
		await seedBefore(5);
		const recent = await seedBefore(1);
		const parameters = { ...ENDS, options: { lookBack: 2 } };
		const result = await fixture.poll(parameters, { mode: 'activation', keep: again });

		expect(eventsOf(result)).toEqual([`runFinished ${recent}`]);
	});

	it.each([
		['to which nothing had happened', {}, false],
		['that looked back', { options: { lookBack: 2 } }, false],
		['that began anew', { options: { whenPublishedAgain: 'beginAnew' } }, true],
	])('%s is where the next goes on, though n8n did not store it', async (...[, given, again]) => {
		const parameters = { ...ENDS, ...given };
		const workflowId = fixture.newWorkflowId();
		const stored = again ? await activate(parameters) : {};
		const poll = async (mode: 'activation' | 'trigger') => {
			const setup = { mode, workflowId, keep: structuredClone(stored) };
			return eventsOf(await fixture.poll(parameters, setup));
		};
		if (again) await fixture.seedRun();
		const first = await poll('activation');
		const createdFrom = new Date().toISOString();
		const { taskIds } = await fixture.sandbox.seedRuns({ count: 1, createdFrom });
		const second = await poll('trigger');

		expect(first).toBeUndefined();
		expect(second).toEqual([`runFinished ${taskIds[0]}`]);
		// What was reported and not stored is reported again.
		expect(await poll('trigger')).toEqual(second);
	});
});

describe('a poll', () => {
	it('begins anew when it is to poll another bot', async () => {
		const kept = await activate();
		await fixture.seedRun();
		const poll = async () =>
			eventsOf(await fixture.poll({ filters: { bot: chosen('1001') } }, { keep: kept }));

		expect(await poll()).toBeUndefined();
		const taskId = await fixture.seedRun();
		expect(await poll()).toContain(`runFinished ${taskId}`);
	});

	it('begins anew with another credential, and goes on with a new key of the same', async () => {
		const kept = await activate();
		const credentials = apiCredential({ url: fixture.sandbox.url, key: 'other' });
		await fixture.sandbox.setKey({ key: 'other' });
		const poll = async () => eventsOf(await fixture.poll(ENDS, { credentials, keep: kept }));
		await fixture.sandbox.seedRuns({ count: 1, key: 'other' });
		expect(await poll()).toBeUndefined();
		await fixture.sandbox.setKey({ key: 'new', company: 'other' });
		credentials.browserAutomationApi.apiKey = 'new';
		const { taskIds } = await fixture.sandbox.seedRuns({ count: 1, key: 'new' });

		expect(await poll()).toEqual([`runFinished ${taskIds[0]}`]);
	});

	it('gives way to one that has not ended', async () => {
		const kept = await activate();
		await fixture.seedRun();
		const held = holdNextPoll();
		const workflowId = fixture.newWorkflowId();
		const first = fixture.poll({}, { workflowId, keep: kept });
		await held.isReached;
		const second = await fixture.poll({}, { workflowId, keep: structuredClone(kept) });
		held.letGo();

		expect(second.items).toBeNull();
		expect((await first).items).not.toBeNull();
	});

	it('and one of the editor do not give way to each other', async () => {
		const kept = await activate();
		const workflowId = fixture.newWorkflowId();
		const passed = [`runFinished ${await fixture.seedRun()}`];
		const held = holdNextPoll();
		const editor = fixture.poll(ENDS, { mode: 'manual', workflowId });
		const scheduled = fixture.poll(ENDS, { workflowId, keep: kept });
		expect(eventsOf(await editor)).toEqual(passed);
		const other = await fixture.poll(ENDS, { workflowId, keep: structuredClone(kept) });

		expect(eventsOf(other)).toBeUndefined();
		held.letGo();
		expect(eventsOf(await scheduled)).toEqual(passed);
	});

	it.each([
		[65, 20],
		[75, 8],
	])('that has used %s %% of its time tells of %s of 20 runs', async (percent, passed) => {
		const kept = await activate();
		await fixture.sandbox.seedRuns({ count: 20, createdFrom: new Date().toISOString() });
		inNextPoll(() => {
			const now = Date.now();
			jest.spyOn(Date, 'now').mockImplementation(() => now + percent * 1_000);
		});
		const polled = await fixture.poll(ENDS, { keep: kept, budget: 100_000 });

		expect(eventsOf(polled)).toHaveLength(passed);
	});
});

it('the log says that a poll has found as many events as one takes, and the next one goes on', async () => {
	const lines = warnings();
	const kept = await activate();
	await fixture.sandbox.seedRuns({ count: 170, createdFrom: new Date().toISOString() });
	const found = [];
	for (let polls = 0; polls < 3; polls++)
		found.push(eventsOf(await fixture.poll({}, { keep: kept })));

	expect(found.map((events) => events?.length)).toEqual([504, 6, undefined]);
	expect(new Set(found.flat().filter((event) => event?.startsWith('runFinished'))).size).toBe(170);
	expect(lines).toEqual([expect.stringContaining('has found 504 events')]);
});

it('the log says once that the list counts runs that it does not show', async () => {
	const lines = warnings();
	await fixture.seedRun();
	const kept = await activate();
	await fixture.sandbox.addFault({ kind: 'members', members: { total_count: 9 }, path: '/runs$' });
	for (let polls = 0; polls < 3; polls++) await fixture.poll({}, { keep: kept });

	expect(lines).toEqual([expect.stringContaining('shows fewer runs than it counts')]);
});

it('runs whose output may come late are waited for together', async () => {
	const kept = await activate(ENDS);
	const taskIds = [await fixture.seedRun(), await fixture.seedRun()];
	const members = { output: null, output_files: null, finished_at: null };
	await fixture.sandbox.addFault({ kind: 'members', members, path: '^/v3/bots/runs/' });
	// The first of them takes all the time of the poll.
	const passed = await fixture.poll({ ...ENDS, output: 'rows' }, { keep: kept, budget: 4_000 });

	expect(eventsOf(passed)?.sort()).toEqual(taskIds.map((id) => `runFinished ${id}`).sort());
	for (const taskId of taskIds) {
		const reads = await fixture.sandbox.requests({ path: `^/v3/bots/runs/${taskId}$` });
		expect(reads.length).toBeGreaterThan(1);
	}
});

describe('when something fails', () => {
	it('one run that cannot be read silences no other, and is reported when it can be', async () => {
		const kept = await activate();
		const [bad, good] = [await fixture.seedRun(), await fixture.seedRun()];
		await fixture.sandbox.addFault({ ...REFUSAL, path: `/${bad}$` });
		const poll = async () => eventsOf(await fixture.poll(ENDS, { keep: kept }));
		const lines = warnings();

		expect(await poll()).toEqual([`runFinished ${good}`]);
		expect(await poll()).toBeUndefined();
		const said = `Runs that could not be read are read again at the next poll: ${bad}. `;
		expect(lines).toEqual(Array(2).fill(expect.stringMatching(new RegExp(`^${said}.*99001`))));

		await fixture.sandbox.clearFaults();
		expect(await poll()).toEqual([`runFinished ${bad}`]);
	});

	it.each([
		['seen going on before', async () => await fixture.seedRun('running')],
		['not seen before', async () => undefined],
	])('a run, %s, is reported with its output once its details show its end', async (_, before) => {
		const going = await before();
		const kept = await activate(ENDS);
		const ended = going ?? (await fixture.seedRun('finished'));
		if (going !== undefined) await fixture.sandbox.moveRun({ taskId: going, status: 'finished' });
		await fixture.sandbox.addFault({ kind: 'lagging', path: `${ended}$` });

		expect(eventsOf(await fixture.poll(ENDS, { keep: kept }))).toBeUndefined();
		await fixture.sandbox.clearFaults();
		const passed = await fixture.poll(ENDS, { keep: kept });
		expect(eventsOf(passed)).toEqual([`runFinished ${ended}`]);
		expect(itemsOf(passed)).toMatchObject([{ status: 'finished', output: [{}, {}, {}, {}, {}] }]);
	});

	it('the log names a few of many runs that cannot be read', async () => {
		const lines = warnings();
		const kept = await activate();
		for (let count = 0; count < 22; count++) await fixture.seedRun();
		await fixture.sandbox.addFault({ ...REFUSAL, path: '^/v3/bots/runs/' });
		await fixture.poll({}, { keep: kept });

		expect(lines).toEqual([expect.stringContaining(' and 2 more. ')]);
	});

	it.each([
		[{ kind: 'envelopeError', code: 401, msg: 'no' }, { cause: 'credential-invalid' }],
		[
			{ kind: 'rateLimit', retryAfter: '600' },
			{ cause: 'rate-limited', retryAfterMs: 600_000 },
		],
		[{ kind: 'serverError' }, { cause: 'temporarily-unavailable' }],
		[{ ...REFUSAL }, undefined],
	] as const)('n8n gets the reason of %j, and the next poll reports all', async (fault, reason) => {
		const kept = await activate();
		const taskId = await fixture.seedRun();
		await fixture.sandbox.addFault({ ...fault, path: '^/v3/bots/runs' });
		const { error } = await fixture.poll({}, { keep: kept, budget: 60_000 });
		await fixture.sandbox.clearFaults();

		expect(error).toHaveProperty('failure', reason);
		expect(eventsOf(await fixture.poll({}, { keep: kept }))).toContain(`runFinished ${taskId}`);
	});
});

describe('in the editor', () => {
	const files = { downloadFiles: ['csv'], ifNoFile: 'skip' };
	const events = ['runStarted'];

	it('another run is one where the details of the latest do not show its end yet', async () => {
		const earlier = await fixture.seedRun();
		const latest = await fixture.seedRun();
		await fixture.sandbox.addFault({ kind: 'lagging', path: `${latest}$` });
		const sample = await fixture.poll(ENDS, { mode: 'manual' });

		expect(eventsOf(sample)).toEqual([`runFinished ${earlier}`]);
		expect(itemsOf(sample)).toMatchObject([{ status: 'finished' }]);
	});

	it('another run is one where the latest has no such file', async () => {
		const earlier = await seedBefore(48);
		await fixture.seedRun('failed');
		const sample = await fixture.poll({ ...ENDS, files }, { mode: 'manual' });
		expect(eventsOf(sample)).toEqual([`runFinished ${earlier}`]);
	});

	it.each([
		['of any status', { events, filters: { bot: chosen('1002') } }, 'your runs (bot 1002)'],
		['of some', { events: ['runFinished', 'runFailed'] }, 'your runs (finished or failed)'],
		['with a file', { events, files }, 'your latest 1 has rows, or the chosen files'],
	])('it is said when no run fits, and what was searched: %s', async (_, parameters, among) => {
		await fixture.seedRun('running');

		await expect(fixture.poll(parameters, { mode: 'manual' })).rejects.toMatchObject({
			message: `No matching run among ${among}`,
			description: expect.stringContaining('Start a run of the bot'),
		});
	});

	it('no events chosen is refused', async () => {
		const polled = fixture.poll({ events: [] }, { mode: 'manual' });
		await expect(polled).rejects.toThrow("Nothing is chosen under 'Events'");
	});
});
