import { isJsonObject } from '../../nodes/BrowserAutomation/service/json/json';
import { interceptNetwork } from '../interceptedNetwork';
import { ActionFixture, apiCredential, chosen, forAllTests, jsonOf } from '../fixture';
import { lapseTime } from '../timeLapse';

const nock = interceptNetwork();

const fixture = forAllTests(new ActionFixture());

lapseTime();

beforeEach(async () => await fixture.sandbox.reset());

async function seed(status: 'running' | 'paused' | 'finished'): Promise<string> {
	const { taskIds } = await fixture.sandbox.seedRuns({ count: 1, bot: '1001', statuses: [status] });
	return String(taskIds[0]);
}

const LAMP = { inputMode: 'json', input: '{ "keyword": "lamp" }' };

async function bodyOf(operation: string): Promise<unknown> {
	const [request] = await fixture.sandbox.requests({ operation });
	return request?.body;
}

describe('running a workflow', () => {
	it('sends its input as text, and everything else under its own name', async () => {
		const filled = { keyword: 'lamp', max_results: 2, url: '', currency: null };
		const run = await fixture.run('workflow', 'run', {
			workflowId: chosen('1001'),
			inputFields: { value: { ...filled, moreFields: '{"currency":"EUR"}' } },
			waitForCompletion: 'none',
			notify: 'urls',
			callbackUrl: 'http://127.0.0.1:9/completed',
			statusChangeCallbackUrl: 'http://127.0.0.1:9/status',
			options: { saveBrowserData: false, profileId: 'p-1' },
		});
		expect(run.error).toBeUndefined();
		const [{ taskId } = {}] = await fixture.sandbox.runs();
		expect(jsonOf(run)).toEqual([
			{ id: taskId, task_id: taskId, status: 'created', profile_id: 'p-1' },
		]);
		expect(await bodyOf('workflow.run')).toEqual({
			workflow_id: '1001',
			input_parameters: [
				{ name: 'keyword', value: 'lamp' },
				{ name: 'max_results', value: '2' },
				{ name: 'currency', value: 'EUR' },
			],
			save_browser_data: false,
			profile_id: 'p-1',
			callback_url: 'http://127.0.0.1:9/completed',
			status_change_callback_url: 'http://127.0.0.1:9/status',
		});
	});

	it('sleeps until the callback, as a bot does', async () => {
		await fixture.sandbox.setDurations({ running: null });
		const set = { ...LAMP, waitForCompletion: 'automatic', output: 'simplified' };
		const asleep = await fixture.run('workflow', 'run', { workflowId: chosen('1001'), ...set });
		expect(asleep.status).toBe('waiting');
		const sent = await bodyOf('workflow.run');
		const callbackUrl = isJsonObject(sent) ? String(sent.callback_url) : '';
		const { taskId } = (await fixture.sandbox.runs()).at(-1) ?? {};
		await fixture.sandbox.moveRun({ taskId: String(taskId), status: 'finished' });
		const { run } = await fixture.harness.receive(callbackUrl, { body: {} });
		expect(run?.status).toBe('success');
		expect(run?.outputs[0]?.[0]?.json).toMatchObject({ task_id: taskId, status: 'finished' });
	});

	it('has the profile ID that only the start has', async () => {
		const service = nock('https://other.test');
		service.post('/v2/workflow/run-task').reply(200, { id: '9', profileId: 'p-9' });
		const task = { id: '9', profile_id: null, status: 'finished', output: { string: 'Done' } };
		service.get('/v2/workflow/get-task').query({ task_id: '9' }).twice().reply(200, task);
		const set = { ...LAMP, waitForCompletion: 'poll', output: 'simplified' };
		const credentials = apiCredential({ url: 'https://other.test', key: 'another-key' });
		const parameters = { workflowId: chosen('1001'), ...set };
		const run = await fixture.run('workflow', 'run', parameters, { credentials });
		expect(run.error).toBeUndefined();
		expect(jsonOf(run)).toMatchObject([{ task_id: '9', output: 'Done', profile_id: 'p-9' }]);
	});
});

describe('a later node that reads output.string', () => {
	const hintsFor = async (
		parameters: object,
		mode: 'manual' | 'trigger' = 'manual',
		probe = '{{ $json.output?.string }} {{ $json.output.string }}',
	) => {
		const resource = 'botId' in parameters ? 'bot' : 'workflow';
		const set = { ...LAMP, waitForCompletion: 'poll', ...parameters };
		const run = await fixture.run(resource, 'run', set, { mode, probe });
		expect(run.error).toBeUndefined();
		return run.hints.map(({ message }) => message);
	};
	const hint = expect.stringMatching(/Output 0.* reads output.string/);

	it.each([
		['rows of a bot', { botId: chosen('1001'), output: 'rows' }, [hint]],
		['a bot, Simplified', { botId: chosen('1001'), output: 'simplified' }, [hint]],
		['rows of a workflow', { workflowId: chosen('1001'), output: 'rows' }, [hint]],
		['a workflow, Raw, which has it', { workflowId: chosen('1001'), output: 'raw' }, []],
	])('has a hint in the editor, unless it is there: %s', async (_, parameters, hints) => {
		expect(await hintsFor(parameters)).toEqual(hints);
	});

	it.each([
		['of the items of this node', '{{ $json.id }}', 1],
		['of this node by its name', "{{ $('Browser Automation').first().json.id }}", 1],
		['of another node', "{{ $('Start').item.json.id }} {{ $json.idea }}", 0],
	])('has a hint as well where it reads the ID %s', async (_, probe, count) => {
		const said = await hintsFor({ botId: chosen('1001'), output: 'rows' }, 'manual', probe);
		expect(said).toEqual(Array(count).fill(expect.stringContaining('Output 0&#34; reads id')));
	});

	it('gives none in a published workflow', async () => {
		expect(await hintsFor({ botId: chosen('1001'), output: 'rows' }, 'trigger')).toEqual([]);
	});
});

describe('stopping and resuming', () => {
	it.each([
		['refuses', []],
		['takes it for done', [{ kind: 'answer', status: 200, path: 'stop-task' }] as const],
	])('gives a task that has ended as it is, where the service %s', async (_, faults) => {
		const taskId = await seed('finished');
		for (const fault of faults) await fixture.sandbox.addFault(fault);
		const run = await fixture.run('task', 'stop', { taskId: chosen(taskId) });
		expect(run.error).toBeUndefined();
		expect(jsonOf(run)).toEqual([expect.objectContaining({ task_id: taskId, status: 'finished' })]);
	});

	it('says so when the task was stopped but cannot be read', async () => {
		const taskId = await seed('running');
		await fixture.sandbox.addFault({ kind: 'envelopeError', code: 7, msg: 'no', path: 'get-task' });
		const run = await fixture.run('task', 'stop', { taskId: chosen(taskId) });
		expect(run.error?.message).toContain(`accepted the request, but task ${taskId}`);
		expect(run.error).toHaveProperty('description', expect.stringContaining('Do not repeat'));
		expect(run.error).toHaveProperty('context.data.code', 7);
	});

	it.each([
		[10127, 'Only a paused run can be resumed'],
		[10121, 'The run has already ended'],
	])('says why a task cannot be resumed (%p)', async (code, reason) => {
		const taskId = await seed('finished');
		await fixture.sandbox.addFault({ kind: 'envelopeError', code, msg: '', path: 'resume-task' });
		const run = await fixture.run('task', 'resume', { taskId: chosen(taskId) });
		expect(run.error?.message).toContain(reason);
	});
});

it('passes the status unknown on, and does not take it for an end', async () => {
	const taskId = await seed('running');
	await fixture.sandbox.setUnknown({ taskId, unknown: true });
	expect(jsonOf(await fixture.run('task', 'getStatus', { taskId: chosen(taskId) }))).toEqual([
		{ task_id: taskId, status: 'unknown' },
	]);
});
