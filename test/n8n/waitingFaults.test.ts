import { N8nClient } from '../../n8n/client';
import type { Execution } from '../../n8n/execution';
import { startN8n, type N8nServer } from '../../n8n/server';
import { waitUntil } from '../../n8n/waitUntil';
import { workflowOf } from '../../n8n/workflow';
import { FaultTable } from './faultTable';
import { packedPackage } from './sharedServer';
import { after, asleep, finish, scrapeEach, starts, words } from './waitingCases';
import { manualTrigger, openWorkbench, type Workbench } from './workbench';

const table = new FaultTable('Fault');

/** When the node looks once more after it went to sleep, at the earliest. It would find runs that end before. */
const SECOND_LOOK_MS = 2_000;

/** What came out, in words. */
function outcome(execution: Execution): string {
	if (execution.failure !== undefined) {
		return `${execution.status}: ${execution.failure.message}`;
	}
	const of = execution.json('After').map((item) => String(item.of));
	return `${execution.status}: ${of.length} results (${of.join(', ')})`;
}

describe('faults while an execution sleeps', () => {
	let server: N8nServer;
	let client: N8nClient;
	let bench: Workbench;

	beforeAll(async () => {
		server = await startN8n({ version: '2.41', packages: [packedPackage()] });
		client = await N8nClient.signIn(server.url);
		bench = await openWorkbench(client);
	});

	beforeEach(async () => {
		await bench.sandbox.reset();
		await bench.sandbox.setDurations({ created: 0, running: null });
	});

	afterAll(async () => {
		table.print();
		await bench?.close();
		await server?.remove();
	});

	/** Three runs asleep. */
	async function sleeping(options: Record<string, unknown> = {}): Promise<string> {
		const workflow = await client.createWorkflow(
			workflowOf('Fault', [
				manualTrigger,
				words('a', 'b', 'c'),
				bench.botNode(scrapeEach(options)),
				after,
			]),
		);
		return await asleep(
			client,
			await client.runManually(workflow, { trigger: manualTrigger.name }),
		);
	}

	async function ends(executionId: string, fault: string, timeout = 60_000): Promise<Execution> {
		const execution = await client.waitForExecution(executionId, { timeout });
		table.add(fault, outcome(execution), await starts(bench));
		expect(await starts(bench)).toBe(3);
		return execution;
	}

	/** Whether the statuses of all three runs were told after a moment. Runs of an earlier test are not known any more. */
	async function lookedAfter(moment: number): Promise<boolean> {
		const looks = await bench.sandbox.requests({ operation: 'run.getStatus' });
		return looks.filter(({ at, status }) => at > moment && status === 200).length >= 3;
	}

	function expectAllResults(execution: Execution): void {
		expect(execution.failure).toBeUndefined();
		expect(execution.json('After').map(({ of }) => of)).toEqual(['a', 'b', 'c']);
	}

	it('one callback lost, another one later', async () => {
		const executionId = await sleeping();
		await bench.sandbox.setCallbackFaults({ lose: 1 });
		await finish(bench, 'a', 'b', 'c');
		expectAllResults(await ends(executionId, 'One of three callbacks lost'));
	});

	it('all callbacks lost', async () => {
		const executionId = await sleeping({ waitLimit: 0.002 });
		const sleptAt = Date.now();
		await waitUntil(async () => (await lookedAfter(sleptAt + SECOND_LOOK_MS)) || undefined, {
			timeout: 30_000,
			interval: 50,
			describe: () => 'No second look',
		});
		await bench.sandbox.setCallbackFaults({ lose: 'all' });
		await finish(bench, 'a', 'b', 'c');
		const execution = await ends(executionId, 'All callbacks lost (limit: 7 s)', 150_000);
		expect(execution.status).toBe('error');
		for (const { taskId } of await bench.sandbox.runs()) {
			expect(`${execution.failure?.message} ${execution.failure?.description}`).toContain(taskId);
		}
	});

	it('each callback ten times', async () => {
		const executionId = await sleeping();
		await bench.sandbox.setCallbackFaults({ repeat: 10 });
		await finish(bench, 'a', 'b', 'c');
		expectAllResults(await ends(executionId, 'Each callback ten times'));
		expect((await client.execution(executionId)).runs('After')).toHaveLength(1);
	});

	it('callbacks in reverse order', async () => {
		const executionId = await sleeping();
		await bench.sandbox.setCallbackFaults({ reverseWithinMs: 500 });
		await finish(bench, 'a', 'b', 'c');
		expectAllResults(await ends(executionId, 'Callbacks in reverse order'));
	});

	it('forged callbacks', async () => {
		const executionId = await sleeping();
		for (const { callbackUrl, taskId } of await bench.sandbox.runs()) {
			const forged = new URL(callbackUrl ?? '');
			const body = JSON.stringify({ task_id: taskId, status: 'finished', output: 'forged' });
			const headers = { 'content-type': 'application/json' };
			const untrue = await fetch(forged, { method: 'POST', body, headers });
			expect(untrue.status).toBe(200);
			forged.searchParams.set('nonce', '0'.repeat(32));
			expect((await fetch(forged, { method: 'POST', body, headers })).status).toBe(403);
			forged.searchParams.set('signature', '0');
			expect((await fetch(forged, { method: 'POST', body, headers })).status).toBe(401);
		}
		expect((await client.execution(executionId)).status).toBe('waiting');
		await finish(bench, 'a', 'b', 'c');
		expectAllResults(await ends(executionId, 'Forged callbacks (wrong nonce, untrue body)'));
	});

	it('runs that end before the execution is asleep', async () => {
		await bench.sandbox.setDurations({ created: 0, running: 0 });
		const workflow = await client.createWorkflow(
			workflowOf('Early', [
				manualTrigger,
				words('a', 'b', 'c'),
				bench.botNode(scrapeEach()),
				after,
			]),
		);
		const executionId = await client.runManually(workflow, { trigger: manualTrigger.name });
		expectAllResults(await ends(executionId ?? '', 'Callbacks before the execution sleeps'));
	});

	it('the service answers 500 during the join', async () => {
		const executionId = await sleeping();
		await finish(bench, 'a', 'b');
		await bench.sandbox.callbacksSettled();
		await bench.sandbox.addFault({ kind: 'serverError', method: 'GET' });
		await finish(bench, 'c');
		await waitUntil(
			async () => {
				const callbacks = await bench.sandbox.callbacks();
				return callbacks.some(({ attempts }) => attempts[0]?.status === 503) || undefined;
			},
			{ timeout: 60_000, interval: 50, describe: () => 'No callback was answered 503' },
		);
		await bench.sandbox.clearFaults();
		expectAllResults(await ends(executionId, 'Service answers 500 during the join'));
	});

	it('n8n killed while asleep', async () => {
		const executionId = await sleeping();
		await finish(bench, 'a');
		await bench.sandbox.callbacksSettled();
		await server.kill();
		await finish(bench, 'b');
		await bench.sandbox.callbacksSettled();
		await server.start();
		await finish(bench, 'c');
		expectAllResults(
			await ends(executionId, 'n8n killed while asleep, one callback meanwhile', 90_000),
		);
	});
});
