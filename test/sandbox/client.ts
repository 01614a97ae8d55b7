import { isObject, parseIfJson } from '../../dev/sandbox/json';
import type { JsonObject } from '../../dev/sandbox/json';
import { startSandbox, type Sandbox, type SandboxOptions } from '../../dev/sandbox/server';
import { until } from '../timeLapse';

export interface Sent {
	readonly query?: Readonly<Record<string, string>>;
	/** Sent as JSON. */
	readonly body?: unknown;
	/** The API key; null sends none. The default key when left out. */
	readonly key?: string | null;
	readonly headers?: Readonly<Record<string, string>>;
}

export interface Received {
	readonly status: number;
	readonly text: string;
	/** The JSON body's members; empty when it is not an object. */
	readonly fields: JsonObject;
}

export type Send = (method: string, path: string, sent?: Sent) => Promise<Received>;

/** What happens to a run happens at once. */
export const AT_ONCE = { created: 0, running: 0, pausing: 0, resuming: 0 };

/** Starts a sandbox for all tests of a file, which is as good as new for each, and hands it over. */
export function onSandbox(
	options: SandboxOptions,
	use: (opened: { sandbox: Sandbox; send: Send }) => void,
): void {
	let sandbox: Sandbox;
	beforeAll(async () => {
		sandbox = await startSandbox(options);
		use({ sandbox, send: clientOf(sandbox) });
	});
	beforeEach(async () => await sandbox.reset());
	afterAll(async () => await sandbox.close());
}

/** Sends requests to a sandbox as any HTTP client would. */
export function clientOf(sandbox: Sandbox): Send {
	return async (method, path, sent = {}) => {
		const url = new URL(sandbox.url + path);
		for (const [name, value] of Object.entries(sent.query ?? {})) {
			url.searchParams.set(name, value);
		}
		const { key = sandbox.key } = sent;
		const json = sent.body === undefined ? undefined : JSON.stringify(sent.body);
		const given: Record<string, string> = {
			...(key !== null && { authorization: `Bearer ${key}` }),
			...(json && { 'content-type': 'application/json' }),
			...sent.headers,
		};
		const response = await fetch(url, { method, headers: given, ...(json && { body: json }) });
		const text = await response.text();
		const body = parseIfJson(text);
		return { status: response.status, text, fields: isObject(body) ? body : {} };
	};
}

/** Starts a run of a bot and gives its task ID. */
export async function startRun(
	send: Send,
	botId: string,
	request: JsonObject = {},
	key?: string,
): Promise<string> {
	const answer = await send('POST', `/v3/bots/${botId}/runs`, {
		body: { input: {}, ...request },
		...(key !== undefined && { key }),
	});
	const taskId = answer.fields['task_id'];
	if (typeof taskId !== 'string') throw new Error(`The start was refused: ${answer.text}`);
	return taskId;
}

/** Resolves with the run's detail once it has this status. */
export async function untilStatus(send: Send, taskId: string, status: string): Promise<JsonObject> {
	return await until(async () => {
		const { fields } = await send('GET', `/v3/bots/runs/${taskId}`);
		return fields['status'] === status && fields;
	}, `run ${taskId} to be ${status}`);
}
