import { keywords, passedOn, useScene } from './scene';

const scene = useScene();

it('an unknown status that stays ends the execution early, in the service’s words, and starts no second run', async () => {
	const asleep = await scene.run({ items: keywords('a') });
	await scene.started(1);
	const { taskId } = await scene.runFor('a');
	const body = JSON.stringify({ task_id: taskId, status: 'archiving' });
	const path = `runs/${taskId}(/status)?$`;
	await scene.sandbox.addFault({ kind: 'answer', status: 200, path, body });
	const run = await scene.end(asleep);

	expect(run.error?.message).toBe(
		`The service reports the status "archiving" for run ${taskId}, which this node does not know`,
	);
	expect(await scene.runs()).toHaveLength(1);
	const again = await scene.harness.retry(run);
	await scene.sandbox.clearFaults();

	expect(passedOn(await scene.end(again, 'a'))).toHaveLength(1);
	expect(await scene.runs()).toHaveLength(1);
});
