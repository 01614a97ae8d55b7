import { PollContext } from 'n8n-core';
import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { BrowserAutomationPollingTrigger } from '../../nodes/BrowserAutomation/BrowserAutomationPollingTrigger.node';
import type { EventSettings } from '../../nodes/BrowserAutomation/fields/triggers';
import type { RunEvent } from '../../nodes/BrowserAutomation/service/events/runEvents';
import { eventItems } from '../../nodes/BrowserAutomation/triggers/eventItems';
import { insideNode } from '../execution/insideNode';
import { chosen, forAllTests } from '../fixture';
import { callBack, startedWith, TriggerFixture, warnings } from './triggerFixture';

const fixture = forAllTests(new TriggerFixture());

afterEach(async () => {
	jest.restoreAllMocks();
	await fixture.sandbox.reset();
});

const BOT = '1011';

async function give(output: unknown): Promise<void> {
	await fixture.sandbox.setOutput({ bot: BOT, output, outputSchema: null });
}

type Status = 'finished' | 'failed' | 'running';

/** What each of the two triggers gives of a run, which is reported for the first time. */
const TRIGGERS: Array<[string, (set: INodeParameters, status?: Status) => Promise<Given>]> = [
	['the trigger that is called', byCallback],
	['the one that polls', byPoll],
];

interface Given {
	taskId: string;
	/** Undefined where the workflow was not started. */
	items: IDataObject[] | undefined;
	/** The binary fields of the first item. */
	binary: string[];
	failures: unknown[];
}

async function seed(status: Status): Promise<string> {
	const createdFrom = new Date().toISOString();
	const seeds = { count: 1, bot: BOT, statuses: [status], createdFrom };
	return (await fixture.sandbox.seedRuns(seeds)).taskIds[0] ?? '';
}

async function byCallback(set: INodeParameters, status: Status = 'finished'): Promise<Given> {
	const taskId = await seed(status);
	const call = await callBack(fixture.trigger(set), { task_id: taskId });
	const [item] = call.run?.outputs[0] ?? [];
	const binary = Object.keys(item?.binary ?? {});
	return { taskId, items: startedWith(call), binary, failures: [call.run?.error ?? []].flat() };
}

async function byPoll(set: INodeParameters, status: Status = 'finished'): Promise<Given> {
	const data: IDataObject = {};
	const filters = { bot: chosen(BOT) };
	const parameters = { events: ['runFinished', 'runFailed'], filters, ...set };
	await fixture.poll(parameters, { mode: 'activation', keep: data });
	const taskId = await seed(status);
	const { items, error, failures } = await fixture.poll(parameters, { keep: data });
	if (error !== undefined) throw error;
	const [item] = items?.[0] ?? [];
	const jsons = items?.[0]?.map(({ json }) => json);
	return { taskId, items: jsons, binary: Object.keys(item?.binary ?? {}), failures };
}

const CSV_OR_SKIP = { downloadFiles: ['csv'], ifNoFile: 'skip' };

describe.each(TRIGGERS)('%s', (_, give1) => {
	it('gives the key fields, output and files of a run, or the whole run', async () => {
		const events = ['runFinished'];
		const files = { downloadFiles: ['csv'] };
		const simplified = await give1({ events, files });
		const whole = await give1({ events, output: 'raw' });

		const file = { property: 'csv', mime_type: 'text/csv' };
		const shown = { event: 'runFinished', output: expect.anything(), files: [file] };
		expect(simplified.items).toMatchObject([shown]);
		expect(simplified.items?.[0]).not.toHaveProperty('input');
		expect(simplified.binary).toEqual(['csv']);
		expect(whole.items?.[0]).toHaveProperty('input');
	});

	it('gives the rows of a run, once for all that happened, and none where nothing wanted did', async () => {
		const rows = [{ title: 'a' }, { title: 'b' }];
		const events = ['runStarted', 'runStatusChanged', 'runFinished'];
		await give(rows);
		const wanted = await give1({ output: 'rows', events });
		const unwanted = await give1({ output: 'rows', events: ['runFailed'] });

		expect(wanted.items).toEqual(rows);
		expect(unwanted.items).toBeUndefined();
	});

	it('gives the run where it has no rows, and starts nothing where they are none', async () => {
		const set = { output: 'rows', events: ['runStarted', 'runFinished'] };
		const going = await give1(set, 'running');
		await give([]);
		const empty = await give1(set);

		const started = { event: 'runStarted', task_id: going.taskId, status: 'running' };
		expect(going.items).toMatchObject([started]);
		expect(empty.items).toBeUndefined();
	});

	it.each<[string, unknown, INodeParameters]>([
		['rows', [{ a: 1 }, { a: 2 }], { output: 'rows' }],
		['no rows', [], { output: 'rows' }],
		['selected fields', [{ a: 1 }], { output: 'selected', fieldNames: ['a'] }],
	])('tells of a run that failed, with its %s within', async (_what, output, set) => {
		const path = '^/v3/bots/runs/\\d+$';
		await fixture.sandbox.addFault({ kind: 'members', members: { output }, path });
		const { items, taskId } = await give1({ events: ['runFailed'], ...set }, 'failed');

		const task_failure_info = expect.objectContaining({ message: expect.any(String) });
		const event = { event: 'runFailed', task_id: taskId, status: 'failed', task_failure_info };
		expect(items).toEqual([expect.objectContaining({ ...event, output })]);
	});

	it('gives the chosen fields of rows, run and event', async () => {
		await give([{ title: 'a', price: 1 }]);
		const fieldNames = ['title', 'status', 'event'];
		const events = ['runStarted', 'runFinished'];
		const { items } = await give1({ output: 'selected', fieldNames, events });

		const event = { event: 'runFinished', task_id: expect.any(String) };
		expect(items).toEqual([{ title: 'a', status: 'finished', ...event }]);
	});

	it('gives the run where it goes on and has none of the chosen fields yet', async () => {
		const set = { output: 'selected', fieldNames: ['title'], events: ['runStarted'] };
		const { items, taskId } = await give1(set, 'running');

		const event = { event: 'runStarted', task_id: taskId, status: 'running' };
		expect(items).toMatchObject([{ ...event, live_url_info: expect.anything() }]);
		expect(JSON.stringify(items)).not.toContain('Field Names');
	});

	it('gives the chosen fields alone also of a run without output', async () => {
		const members = { output: null, output_files: null, finished_at: '2026-01-01T00:00:00Z' };
		await fixture.sandbox.addFault({ kind: 'members', members, path: '^/v3/bots/runs/\\d+$' });
		const events = ['runStarted', 'runFinished'];
		const { items, taskId } = await give1({ output: 'selected', fieldNames: ['status'], events });

		expect(items).toEqual([{ status: 'finished', task_id: taskId }]);
	});

	it('tells an event whose output is not as it was expected, and what was', async () => {
		await give({ list: [{ title: 'a' }] });
		const outputOptions = { rowsFrom: { __rl: true, mode: 'name', value: 'leads' } };
		const { items, taskId } = await give1({ output: 'rows', outputOptions });

		const hint = expect.stringMatching(/has no "leads".*The output has these lists: list/);
		const output = { list: [{ title: 'a' }] };
		expect(items).toMatchObject([{ event: 'runFinished', task_id: taskId, hint, output }]);
	});

	it('tells an event whose output cannot be had, and why, with the files that can', async () => {
		warnings();
		await give(Array.from({ length: 6_000 }, () => ({ text: 'x'.repeat(1_000) })));
		await fixture.sandbox.addFault({ kind: 'answer', status: 404, path: '^/files/.*json' });
		const files = { downloadFiles: ['csv'] };
		const { items, taskId, binary } = await give1({ output: 'rows', files });

		const hint = expect.stringContaining('could not be downloaded');
		const output_files = { json: expect.anything() };
		expect(items).toMatchObject([{ event: 'runFinished', task_id: taskId, hint, output_files }]);
		expect(binary).toEqual(['csv']);
	});

	it.each<[string, INodeParameters, Status, number | undefined]>([
		['without a file is skipped', CSV_OR_SKIP, 'failed', undefined],
		['without a file is passed on', { ...CSV_OR_SKIP, ifNoFile: 'passOn' }, 'failed', 1],
		['with others is skipped', { ...CSV_OR_SKIP, downloadFiles: ['other'] }, 'finished', undefined],
		['is not skipped where no file is wanted', { ifNoFile: 'skip' }, 'failed', 1],
	])('an event of a run %s if the user likes', async (_how, files, status, count) => {
		const { items } = await give1({ events: ['runFinished', 'runFailed'], files }, status);

		expect(items?.length).toBe(count);
	});

	it('an event of a run without a wanted file is a failure that names the run if the user likes', async () => {
		const files = { downloadFiles: ['csv'], ifNoFile: 'fail' };
		const { items, taskId, failures } = await give1({ events: ['runFailed'], files }, 'failed');

		expect(items ?? []).toEqual([]);
		const of = `Run ${taskId} of bot ${BOT} (failed)`;
		const data = { event: 'runFailed', task_id: taskId, status: 'failed' };
		const message = `${of} has none of the files chosen under 'Download Files'`;
		const description = expect.stringContaining('Look at the run');
		expect(failures).toMatchObject([{ message, description, context: { data } }]);
	});

	it('an event of a run with a wanted file that cannot be downloaded is passed on in any case', async () => {
		await fixture.sandbox.addFault({ kind: 'answer', status: 404, path: '^/files/' });
		const { items } = await give1({ files: CSV_OR_SKIP });

		expect(items?.[0]?.files).toEqual([expect.objectContaining({ error: expect.any(String) })]);
	});
});

it('an event is not skipped for want of files that come a moment later', async () => {
	const run = { task_id: '1', status: 'finished' };
	const late = { ...run, output_files: { csv: { download_url: 'http://127.0.0.1:1/' } } };
	const client = { baseUrl: 'http://127.0.0.1:1', send: async () => late };
	const request = { method: 'GET', path: '/v3/bots/runs/1' } as const;
	const files = { groups: ['csv'], prefix: '', ifOneFails: 'continue', maxBytes: undefined };
	const settings = { output: 'simplified', files, ifNoFile: 'skip' } as unknown as EventSettings;
	const event = { event: 'runFinished', task_id: '1', status: 'finished' } as RunEvent;
	const items = await insideNode(
		async (context) => await eventItems({ context, client, request, run }, [event], settings),
	);
	expect(items).toMatchObject([{ json: { task_id: '1', files: [{ name: 'csv' }] } }]);
});

it('the schema of a bot’s output is read by each poll anew, though n8n polls with one context', async () => {
	const lead = { type: 'object', properties: { name: { type: 'string' } } };
	const outputSchema = { type: 'object', properties: { leads: { type: 'array', items: lead } } };
	const output = { leads: [{ name: 'a' }, { name: 'b' }], took: '3 s' };
	await fixture.sandbox.setOutput({ bot: BOT, output, outputSchema });
	const { poll } = BrowserAutomationPollingTrigger.prototype;
	const polls = jest.spyOn(BrowserAutomationPollingTrigger.prototype, 'poll');
	jest.spyOn(PollContext.prototype, 'getWorkflowStaticData').mockReturnValue({});
	await fixture.poll({ output: 'rows', filters: { bot: chosen(BOT) } }, { mode: 'activation' });
	const [context] = polls.mock.contexts;
	const given: unknown[] = [];
	for (const code of [401, undefined]) {
		const fault = { kind: 'envelopeError', code: code ?? 0, msg: 'no' } as const;
		if (code !== undefined) await fixture.sandbox.addFault({ ...fault, path: `/bots/${BOT}$` });
		await seed('finished');
		await seed('finished');
		given.push((await poll.call(context))?.[0]?.map(({ json }) => json));
		await fixture.sandbox.clearFaults();
	}
	const asked = await fixture.sandbox.requests({ operation: 'bot.get' });

	expect(given).toEqual([
		[output, output],
		[...output.leads, ...output.leads],
	]);
	expect(asked).toHaveLength(2);
});

it('what is read of a bot’s runs can be chosen from lists, by the filter or the trigger’s own run', async () => {
	const { harness } = fixture;
	const nodeType = fixture.trigger().node.type;
	const fieldsFor = async (parameters: INodeParameters): Promise<string[]> => {
		const methods = harness.methods({ nodeType, parameters: { events: [], ...parameters } });
		return (await methods.loadOptions('getOutputFields')).map(({ value }) => String(value));
	};
	const filtered = await fieldsFor({ filters: { bot: chosen('1001') } });
	const own = await fieldsFor({ source: 'own', start: 'bot', botId: chosen('1002') });
	const all = await fieldsFor({});

	expect(filtered).toEqual(expect.arrayContaining(['title', 'price', 'status', 'event']));
	expect(own).toEqual(expect.arrayContaining(['leads', 'event']));
	expect(all).not.toContain('title');
	expect(all).toContain('previous_status');
});

const FAILS_WITHOUT_CSV = {
	events: ['runFinished', 'runFailed'],
	files: { downloadFiles: ['csv'], ifNoFile: 'fail' },
	filters: { bot: chosen(BOT) },
};

it('a poll that fails for a run without a file gives the events of the others, and each once', async () => {
	const data: IDataObject = {};
	await fixture.poll(FAILS_WITHOUT_CSV, { mode: 'activation', keep: data });
	const others = [await seed('finished'), await seed('finished')];
	const taskId = await seed('failed');
	const { items, failures } = await fixture.poll(FAILS_WITHOUT_CSV, { keep: data });
	const again = await fixture.poll(FAILS_WITHOUT_CSV, { keep: data });

	expect(items?.[0]?.map(({ json }) => json.task_id).sort()).toEqual(others.sort());
	for (const { binary } of items?.[0] ?? []) expect(binary).toHaveProperty('csv');
	expect(failures.map(({ message }) => message)).toEqual([expect.stringContaining(taskId)]);
	expect(again).toMatchObject({ items: null, failures: [] });
});

it('in the editor, a run without a file is an error, too', async () => {
	const taskId = await seed('failed');
	const polled = fixture.poll(FAILS_WITHOUT_CSV, { mode: 'manual' });

	await expect(polled).rejects.toThrow(taskId);
});
