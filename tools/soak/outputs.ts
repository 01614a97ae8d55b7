import { isRecord } from '../../dev/n8n/json';
import type { SandboxRun } from '../../dev/sandbox/control';
import type { Sandbox } from '../../dev/sandbox/server';

const AT_ONCE = 8;

/** What the finished runs put out, as JSON, by their IDs: as the service says it itself. */
export async function readOutputs(
	sandbox: Pick<Sandbox, 'url'>,
	runs: readonly SandboxRun[],
): Promise<Map<string, string>> {
	const outputs = new Map<string, string>();
	const left = runs.filter(({ status }) => status === 'finished');
	const read = async (): Promise<void> => {
		for (let run = left.pop(); run !== undefined; run = left.pop()) {
			const response = await fetch(`${sandbox.url}/v3/bots/runs/${run.taskId}`, {
				headers: { authorization: `Bearer ${run.key}` },
			});
			const detail: unknown = await response.json();
			if (isRecord(detail) && detail.output !== undefined && detail.output !== null) {
				outputs.set(run.taskId, JSON.stringify(detail.output));
			}
		}
	};
	await Promise.all(Array.from({ length: AT_ONCE }, read));
	return outputs;
}
