import path from 'node:path';
import { readWorkflowFile, withCredentials } from '../../n8n/workflow';
import { sharedClient } from './sharedServer';
import { openWorkbench } from './workbench';

const example = path.join(__dirname, '../../examples/04-pause-for-a-human.json');

it('the example that pauses for a human: wakes, waits for the person, resumes and waits again', async () => {
	const client = sharedClient();
	const bench = await openWorkbench(client);
	try {
		const workflow = await client.createWorkflow(
			withCredentials(readWorkflowFile(example), [bench.credential]),
		);
		const executionId =
			(await client.runManually(workflow, { trigger: 'When clicking ‘Execute workflow’' })) ?? '';
		const asked = await client.waitForExecution(executionId, {
			until: (execution) =>
				execution.isOver || execution.runs('Until They Are Done').at(-1)?.status === 'waiting',
		});
		const message = String(asked.json('Message for a Person')[0]?.message);
		expect(message).toMatch(/The run needs you: http/);
		const link = /Press when done: (\S+)/.exec(message)?.[1] ?? '';
		expect((await fetch(link)).status).toBe(200);
		const execution = await client.waitForExecution(executionId);

		expect(execution.failure).toBeUndefined();
		expect(execution.json('Wait Again')).toEqual([expect.objectContaining({ status: 'finished' })]);
		expect(await bench.sandbox.runs()).toHaveLength(1);
	} finally {
		await bench.close();
	}
});
