import { executionContextOf, hostOf } from '../../../../nodes/BrowserAutomation/execution/host';
import { checkMaxRuns } from '../../../../nodes/BrowserAutomation/execution/waiting/batch/budget';
import { ACTION } from '../../../fixture';
import { insideNode } from '../../insideNode';
import { ledgerOf, request } from '../ledgerOf';
import { keywords, passedOn, scrape, useScene } from '../scene';

const scene = useScene();

const noWait = (options: object) => scrape({ waitForCompletion: 'none' }, options);

it('starts none of the runs that would be more than the user allows', async () => {
	const items = keywords('a', 'b', 'c');
	const { error } = await scene.run({ parameters: noWait({ maxRuns: 2 }), items });

	expect(error).toMatchObject({
		message: "This node would start 3 runs in this execution, and 'Max Runs per Execution' is 2",
		description:
			"None of these 3 was started. Send fewer items, or set 'Max Runs per Execution' under 'Limits and Costs'.",
	});
	expect(await scene.runs()).toEqual([]);

	const allowed = await scene.run({ parameters: noWait({ maxRuns: 3 }), items });
	expect(passedOn(allowed)).toHaveLength(3);
});

it('refuses them again where the node is tried again', async () => {
	const settings = { retryOnFail: true, maxTries: 3, waitBetweenTries: 1 };
	const parameters = scrape({}, { maxRuns: 2 });
	const run = await scene.run({ parameters, settings, items: keywords('a', 'b', 'c') });

	expect(run.error?.message).toContain('would start 3 runs');
	expect(await scene.runs()).toEqual([]);
});

it('counts what an earlier state of the execution, from which n8n goes on, does not know of', async () => {
	await insideNode((context) => {
		const { executionId } = hostOf(context);
		const round = () => ledgerOf([{ request }], { executionId }, { maxRuns: 2 });
		checkMaxRuns(context, round());
		checkMaxRuns(context, round());
		for (const name of Object.keys(executionContextOf(context)))
			executionContextOf(context)[name] = 1;
		expect(() => checkMaxRuns(context, round())).toThrow('would start 3 runs');
		return true;
	});
});

it('counts a batch once, however often it is resumed', async () => {
	const parameters = scrape({}, { maxRuns: 2 });
	const asleep = await scene.run({ parameters, items: keywords('a', 'b') });
	await scene.resumeByTimer(asleep);

	expect(passedOn(await scene.end(asleep, 'a', 'b'))).toHaveLength(2);
});

it('starts 50 runs over all calls of an agent’s tool', async () => {
	const parameters = { ...noWait({}), input: "={{ { keyword: $fromAI('keyword') } }}" };
	const items = keywords(...Array.from({ length: 51 }, (_, item) => `w${item}`));
	const { outputs } = await scene.harness.runAsTool({ nodeType: ACTION, parameters, items });
	const last = JSON.stringify(outputs[0]?.at(-1)?.json.answer);

	expect(await scene.runs()).toHaveLength(50);
	expect(last).toMatch(/would start 51 runs .* and 'Max Runs per Execution' is 50/);
	expect(last).toContain('None of these 1 was started; 50 were before.');
});

it('a retried execution counts its own runs', async () => {
	const parameters = scrape({}, { maxRuns: 2 });
	const asleep = await scene.run({ parameters, items: keywords('a', 'b') });
	for (const word of ['a', 'b']) await scene.move(word, 'failed');
	await scene.harness.retry(await scene.end(asleep));
	await scene.started(4);
});
