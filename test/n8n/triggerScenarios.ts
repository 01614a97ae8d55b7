import { fetchAlone } from '../../dev/fetchAlone';
import type { N8nServer } from '../../dev/n8n/server';
import { workflowOf, type NodeSketch } from '../../dev/n8n/workflow';
import type { SandboxRun } from '../../dev/sandbox/control';
import { chosen } from '../fixture/parameters';
import {
	afterLostCallbacks,
	afterNotifying,
	callbackTrigger,
	finishAll,
	hearOfRuns,
	ownRunTrigger,
	pollingTrigger,
	post,
	PublishedTrigger,
	seed,
	then,
	triggered,
	triggerLine,
	untilCalled,
} from './triggerWorkflows';
import { until, type Workbench } from './workbench';

const { publish } = PublishedTrigger;

/** Runs that are created just now, as a polling trigger finds them. */
const now = () => ({ createdFrom: new Date().toISOString() });

/** What n8n has the triggers do, in any n8n. */
export function describeTriggers(bench: () => Workbench): void {
	it('starts a run when it is published, with both addresses, and cancels it when unpublished', async () => {
		const { credential, sandbox } = bench();
		const before = (await sandbox.runs()).length;
		const own = ownRunTrigger(credential, { options: { cancelOnDeactivation: true } });
		const trigger = await publish(bench(), own);
		const started = (await sandbox.runs()).slice(before);
		await trigger.unpublish();

		expect(started).toEqual([
			expect.objectContaining({
				botId: '1003',
				callbackUrl: expect.stringMatching(/run-completed$/),
				statusCallbackUrl: expect.stringMatching(/run-status-changed$/),
			}),
		]);
		expect((await sandbox.runs())[before]?.status).toBe('canceled');
	});

	it('shows a real event in the editor, of a run that it starts for that', async () => {
		const { client, credential, sandbox } = bench();
		const own = ownRunTrigger(credential, { botId: chosen('1008') });
		const workflow = await client.createWorkflow(triggerLine(own));
		expect(await client.runManually(workflow, { trigger: 'Trigger' })).toBeUndefined();
		const [output] = await triggered(client, workflow, 1);
		const started = (await sandbox.runs()).at(-1);

		expect(started?.callbackUrl).toContain('/webhook-test/');
		expect(output?.[0]).toMatchObject({ event: 'runFinished', task_id: started?.taskId });
	});

	it('hears of the run of a node that sleeps, and takes its addresses back in the end', async () => {
		const { url } = bench().client.session;
		const { outputs, ends, trigger } = await afterNotifying(bench(), url, 'automatic');

		const finished = { event: 'runFinished', output: expect.anything() };
		expect(outputs).toEqual([[expect.objectContaining(finished)]]);
		expect(ends).toEqual(['success', 'success']);
		expect(await trigger.hasAddress()).toBe(false);
		expect(await post(trigger.completedUrl, {})).toBe(404);
	});

	it('starts one execution for each run whose callbacks come twice and among forged ones', async () => {
		const trigger = await publish(bench(), callbackTrigger(bench().credential));
		const taskIds = await seed(bench(), 40);
		const forged = ['forged-1', 'forged-2', 'forged-3', 'forged-4'];
		const answers = await trigger.callBack([...taskIds, ...forged, ...taskIds]);
		const reported = await trigger.reported(40);
		await trigger.unpublish();

		expect(reported).toEqual(taskIds);
		expect(answers.filter((status) => status === 200)).toHaveLength(80);
		expect(answers.filter((status) => status === 503)).toHaveLength(4);
		expect(await trigger.executions()).toBe(40);
	});

	it('says that the service does not accept its key: when it is published, and later by one execution that fails', async () => {
		const { client, credential, sandbox } = bench();
		const message = expect.stringMatching(/^The service does not accept the API key of '/);
		const data = { baseUrl: sandbox.url, apiKey: 'wrong' };
		const wrong = await client.createCredential('Wrong', 'browserAutomationApi', data);
		await expect(publish(bench(), callbackTrigger(wrong))).rejects.toThrow("of 'Wrong'");
		const trigger = await publish(bench(), callbackTrigger(credential));
		const taskIds = await seed(bench(), 3);
		await sandbox.addFault({ kind: 'envelopeError', code: 401, msg: 'no', path: '/v3/bots/runs' });
		expect((await trigger.callBack(taskIds)).sort()).toEqual([200, 503, 503]);
		expect(await trigger.ends(1)).toEqual([message]);
		await sandbox.clearFaults();
		await trigger.unpublish();
		await trigger.publishAgain();

		expect(await trigger.ends(4)).toEqual([message, 'success', 'success', 'success']);
		expect(await trigger.reported(4)).toEqual(taskIds);
		await trigger.unpublish();
	});

	it('brings the files of a run along, as binary fields for the next node', async () => {
		const { client, credential } = bench();
		const linesOfCsv = {
			name: 'Then',
			type: 'n8n-nodes-base.code',
			typeVersion: 2,
			parameters: {
				jsCode: `
					const csv = await this.helpers.getBinaryDataBuffer(0, 'csv');
					return csv.toString().trim().split('\\n').map((line) => ({ json: { line } }));
				`,
			},
		};
		const called = callbackTrigger(credential, { files: { downloadFiles: ['csv'] } });
		const trigger = await publish(bench(), workflowOf('Files', [called, linesOfCsv]));
		expect(await trigger.callBack(await seed(bench(), 1, { bot: '1001' }))).toEqual([200]);
		const [summary] = await client.waitForExecutions(trigger.workflow, 1);
		const execution = await client.execution(summary?.executionId ?? '');
		await trigger.unpublish();

		const csv = { mime_type: 'text/csv', property: 'csv', size: expect.any(Number) };
		const files = [expect.objectContaining(csv)];
		expect(execution.json('Trigger')).toEqual([expect.objectContaining({ files })]);
		expect(execution.json('Then').length).toBeGreaterThan(1);
	});
}

/** What once lost events, in any n8n. */
export function describeLosses(bench: () => Workbench): void {
	describe('no event is lost', () => {
		it('of runs whose callbacks got lost, when the workflow is active again', async () => {
			const { taskIds, reported, executions } = await afterLostCallbacks(bench(), 10);

			expect(reported).toEqual(taskIds);
			expect(executions).toBe(10);
		});

		it('whose callback has another content type, or an ID as a number', async () => {
			const trigger = await publish(bench(), callbackTrigger(bench().credential));
			const types = ['text/plain', 'application/vnd.service+json', 'application/octet-stream', ''];
			const taskIds = await seed(bench(), types.length);
			for (const [index, taskId] of taskIds.entries()) {
				// An ID as a number is too long for a double.
				const body = new TextEncoder().encode(`{"task_id":${taskId},"status":"finished"}`);
				const type = types[index] ?? '';
				const headers = type === '' ? {} : { 'content-type': type };
				const { status } = await fetchAlone(trigger.completedUrl, {
					method: 'POST',
					headers,
					body,
				});
				expect([type, status]).toEqual([type, 200]);
			}

			expect(await trigger.reported(types.length)).toEqual(taskIds);
			await trigger.unpublish();
		});
	});

	it('a run without a file is a failed execution, if the user likes, and no other event fails with it', async () => {
		const { client, credential } = bench();
		const alarm = await client.createWorkflow(
			workflowOf('Alarm', [{ name: 'Failed', type: 'n8n-nodes-base.errorTrigger' }, then]),
		);
		// n8n 1 takes an error workflow as it is, and publishes none.
		await client.activate(alarm).catch(() => undefined);
		const settings = { executionOrder: 'v1', errorWorkflow: alarm.workflowId };
		const files = { downloadFiles: ['csv'], ifNoFile: 'fail' };
		const alarming = async (trigger: NodeSketch): Promise<PublishedTrigger> =>
			await publish(bench(), { ...triggerLine(trigger), settings });
		const called = await alarming(callbackTrigger(credential, { files }));
		const statuses = ['finished', 'failed', 'finished'] as const;
		const taskIds = await seed(bench(), 3, { bot: '1002', statuses, ...now() });
		const [first = '', without, last = ''] = taskIds;
		for (const taskId of [...taskIds, ...taskIds]) await called.callBack([taskId]);
		const filters = { bot: chosen('1002') };
		const lookingBack = { files, filters, options: { lookBack: 1 } };
		const polling = await alarming(pollingTrigger(credential, lookingBack));

		const message = expect.stringMatching(`Run ${without} of bot .* has none of the files`);
		expect(await polling.ends(2)).toEqual([message, 'success']);
		expect(await polling.reported(1)).toEqual([first, last]);
		expect(await called.ends(3)).toEqual([message, 'success', 'success']);
		const alarms = (await triggered(client, alarm, 2, 'Failed')).flat();
		const error = expect.objectContaining({ message });
		expect(alarms).toHaveLength(2);
		for (const part of ['execution', 'trigger']) {
			expect(alarms).toContainEqual(
				expect.objectContaining({ [part]: expect.objectContaining({ error }) }),
			);
		}
		for (const trigger of [called, polling]) await trigger.unpublish();
	});
}

/** What the triggers know and tell after n8n was killed, in any n8n. */
export function describeRestart(bench: () => Workbench, server: () => N8nServer): void {
	describe('after n8n was killed and started again', () => {
		const filters = { bot: chosen('1002') };
		let own: PublishedTrigger;
		let ownRun: SandboxRun | undefined;
		let called: PublishedTrigger;
		let taken: string[];
		let waiting: PublishedTrigger;
		let heard: string[];
		let polling: PublishedTrigger;
		let toPoll: string[];

		beforeAll(async () => {
			const { credential } = bench();
			own = await publish(bench(), ownRunTrigger(credential));
			ownRun = (await bench().sandbox.runs()).at(-1);
			called = await publish(bench(), callbackTrigger(credential));
			taken = await seed(bench(), 10);
			await called.callBack(taken);
			await called.reported(10);
			waiting = await publish(bench(), callbackTrigger(credential));
			heard = await hearOfRuns(bench(), waiting, 10);
			const going = await seed(bench(), 50, { bot: '1002', statuses: ['running'] });
			polling = await publish(bench(), pollingTrigger(credential, { filters }));

			await server().kill();
			await finishAll(bench(), [...heard, ...going]);
			const statuses = ['finished', 'failed', 'canceled'] as const;
			const fresh = await seed(bench(), 150, { bot: '1002', statuses, ...now() });
			toPoll = [...going, ...fresh].sort();
			await server().start();
		}, 300_000);

		it('each of ten runs that ended meanwhile is reported once, though no callback comes', async () => {
			expect(await waiting.reported(10)).toEqual(heard);
			await untilCalled(waiting.completedUrl);
			await waiting.callBack(heard);
			await waiting.unpublish();
			expect(await waiting.executions()).toBe(10);
		});

		it('a callback that was taken before starts nothing again', async () => {
			await untilCalled(called.completedUrl);
			expect(new Set(await called.callBack(taken))).toEqual(new Set([200]));
			await called.unpublish();
			expect(await called.reported(10)).toEqual([...taken].sort());
		});

		it('the polling trigger tells of each of 200 runs once, also after it was stopped', async () => {
			expect(await polling.reported(1)).toEqual(toPoll);
			await bench().sandbox.clearRequests();
			await server().restart();
			const polls = async () => await bench().sandbox.requests({ operation: 'run.getAll' });
			await until(async () => (await polls()).length > 0, 'a poll', 60_000);
			await polling.unpublish();
			expect(await polling.executions()).toBe(1);
		});

		it('the trigger’s own run is the same one, and its end starts the workflow', async () => {
			const { sandbox } = bench();
			const { taskId = '', callbackUrl } = ownRun ?? {};
			await untilCalled(callbackUrl ?? '');
			await sandbox.moveRun({ taskId, status: 'canceled' });
			const [output] = await own.outputs(1);
			await own.unpublish();

			expect(output?.[0]).toMatchObject({ task_id: taskId, status: 'canceled' });
			const runs = await sandbox.runs();
			expect(runs.filter((run) => run.callbackUrl === callbackUrl)).toHaveLength(1);
		});
	});
}
