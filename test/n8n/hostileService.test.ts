import type { Execution } from '../../n8n/execution';
import type { Fault } from '../../sandbox/faults';
import { sharedServer } from './sharedServer';
import { openWorkbench, runBot, type Workbench } from './workbench';

let bench: Workbench;

beforeAll(async () => {
	bench = await openWorkbench(sharedServer().client);
});

afterEach(async () => await bench.sandbox.clearFaults());

afterAll(async () => {
	await bench?.close();
});

async function run(parameters: object, fault: Fault): Promise<Execution> {
	await bench.sandbox.clearRequests();
	await bench.sandbox.addFault(fault);
	return await bench.runLine([bench.botNode({ ...parameters })]);
}

const everyBot = { resource: 'bot', operation: 'getAll', returnAll: true };

describe('a service that does not do as it says', () => {
	it('gives all records, five a page whatever is asked for', async () => {
		const execution = await run(everyBot, { kind: 'shortPages', size: 5 });
		expect(execution.failure).toBeUndefined();
		expect(execution.items('Bot')).toHaveLength(54);
	});

	it('that sends a byte now and then is given up at Answer Timeout', async () => {
		const start = runBot('1008', { waitForCompletion: 'none', options: { answerTimeout: 2 } });
		const { failure } = await run(start, { kind: 'trickle', everyMs: 100, method: 'POST' });
		expect(failure?.message).toMatch(/no complete answer within 2 seconds.*is not known/);
	});

	it('that sends a byte now and then holds no execution beyond its wait limit', async () => {
		const options = { waitLimit: 0.001 };
		const start = runBot('1008', { waitForCompletion: 'poll', options });
		const begun = performance.now();
		const { failure } = await run(start, { kind: 'trickle', everyMs: 100, path: '/runs/' });
		expect(failure?.message).toMatch(/limit/);
		expect(performance.now() - begun).toBeLessThan(40_000);
	});

	it.each([true, false])('that sends without end fills no memory (packed: %s)', async (packed) => {
		const { failure } = await run(everyBot, { kind: 'endless', packed });
		expect(failure?.message).toContain('The service’s answer is larger than 100 MB');
		expect(failure?.description).toContain('Raise Max Answer Size (MB) under Options');
	});

	it.each([408, 499])(
		'whose gateway answers a start with %i may have begun a run',
		async (status) => {
			const start = runBot('1008', { waitForCompletion: 'none' });
			const { failure } = await run(start, { kind: 'answer', status, method: 'POST' });
			expect(failure?.message).toContain('Whether the run was started is not known');
			const starts = await bench.sandbox.requests({ method: 'POST', path: '/runs$' });
			expect(starts).toHaveLength(1);
		},
	);
});
