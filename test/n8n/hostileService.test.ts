import type { Execution } from '../../dev/n8n/execution';
import type { Fault } from '../../dev/sandbox/faults';
import { useBench } from './useBench';
import { runBot } from './workbench';

const bench = useBench();

afterEach(async () => await bench().sandbox.clearFaults());

async function run(parameters: object, fault: Fault): Promise<Execution> {
	await bench().sandbox.clearRequests();
	await bench().sandbox.addFault(fault);
	return await bench().runLine([bench().botNode({ ...parameters })]);
}

const everyBot = { resource: 'bot', operation: 'getAll', returnAll: true };

describe('a service that does not do as it says', () => {
	it('that sends a byte now and then holds no execution beyond its wait limit', async () => {
		const waiting = { waitLimit: 0.001 };
		const start = runBot('1008', { waitForCompletion: 'poll', waiting });
		const begun = performance.now();
		const { failure } = await run(start, { kind: 'trickle', everyMs: 100, path: '/runs/' });
		expect(failure?.message).toMatch(/limit/);
		expect(performance.now() - begun).toBeLessThan(40_000);
	});

	it('that sends without end fills no memory, though it is packed', async () => {
		const { failure } = await run(everyBot, { kind: 'endless', packed: true });
		expect(failure?.message).toContain('The service’s answer is larger than 100 MB');
		expect(failure?.description).toContain("Raise 'Max Response Size (MB)' in the credential");
	});
});
