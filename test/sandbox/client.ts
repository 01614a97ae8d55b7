import { isObject, parseIfJson } from '../../dev/sandbox/json';
import type { JsonObject } from '../../dev/sandbox/json';
import { startSandbox, type Sandbox, type SandboxOptions } from '../../dev/sandbox/server';
import { until } from '../timeLapse';

export interface Received {
	readonly status: number;
	/** The JSON body's members; empty when it is not an object. */
	readonly fields: JsonObject;
}

/** Sends a request to the sandbox as any HTTP client would, with a body of JSON or none. */
export type Send = (method: string, path: string, body?: JsonObject) => Promise<Received>;

/** What happens to a run happens at once. */
export const AT_ONCE = { created: 0, running: 0, pausing: 0, resuming: 0 };

/** Starts a sandbox for all tests of a file, which is as good as new for each, and hands it over. */
export function onSandbox(
	options: SandboxOptions,
	use: (opened: { sandbox: Sandbox; send: Send }) => void,
): void {
	let sandbox: Sandbox;
	const send: Send = async (method, path, given) => {
		const headers = {
			authorization: `Bearer ${sandbox.key}`,
			...(given && { 'content-type': 'application/json' }),
		};
		const sent = { method, headers, ...(given && { body: JSON.stringify(given) }) };
		const response = await fetch(sandbox.url + path, sent);
		const body = parseIfJson(await response.text());
		return { status: response.status, fields: isObject(body) ? body : {} };
	};
	beforeAll(async () => {
		sandbox = await startSandbox(options);
		use({ sandbox, send });
	});
	beforeEach(async () => await sandbox.reset());
	afterAll(async () => await sandbox.close());
}

export async function startRun(
	send: Send,
	botId: string,
	request: JsonObject = {},
): Promise<string> {
	const { fields } = await send('POST', `/v3/bots/${botId}/runs`, { input: {}, ...request });
	return String(fields['task_id']);
}

export async function untilStatus(send: Send, taskId: string, status: string): Promise<JsonObject> {
	return await until(async () => {
		const { fields } = await send('GET', `/v3/bots/runs/${taskId}`);
		return fields['status'] === status && fields;
	}, `run ${taskId} to be ${status}`);
}
