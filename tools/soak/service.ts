import type { Credential } from '../../dev/n8n/client';
import { isRecord } from '../../dev/n8n/json';
import type { SandboxRun } from '../../dev/sandbox/control';
import type { RecordedRequest } from '../../dev/sandbox/recorder';
import type { Sandbox } from '../../dev/sandbox/server';
import { mapConcurrently } from '../../nodes/BrowserAutomation/service/concurrency';
import { credentialFor, type Stage } from '../bench/stage';

/** The accounts of the service: for most runs, with a limit of running tasks, and read by the polling trigger. */
export const ACCOUNTS = ['main', 'limited', 'polled'] as const;

export type Account = (typeof ACCOUNTS)[number];

/** A stage whose service has these accounts. */
export interface Setup extends Stage {
	credentials: Record<Account, Credential>;
}

/** The API key of an account. */
export function keyOf(account: Account): string {
	return `key-of-${account}`;
}

/** @param slots how many runs the limited account may have going on at the same time; any number when left out */
export async function withAccounts(stage: Stage, slots?: number): Promise<Setup> {
	const credentialOf = async (account: Account): Promise<Credential> => {
		const concurrency = account === 'limited' && slots !== undefined ? { concurrency: slots } : {};
		await stage.sandbox.setKey({ key: keyOf(account), company: account, ...concurrency });
		return await credentialFor(stage.client, stage.sandbox, keyOf(account));
	};
	const credentials = {
		main: await credentialOf('main'),
		limited: await credentialOf('limited'),
		polled: await credentialOf('polled'),
	};
	return { ...stage, credentials };
}

/** The word by which a run is known, from its input. */
export function wordOf(input: Record<string, unknown>): string {
	return String(input.keyword ?? input.username);
}

/** Of which runs requests failed: what a soak accepts as a reason for an error. */
export interface Failures {
	/** IDs of runs that were asked about in vain. */
	taskIds: ReadonlySet<string>;
	/** Words of runs that were started in vain, or without an answer. */
	words: ReadonlySet<string>;
}

/** Keeps the requests that failed; the service itself forgets old ones. */
export class FailedRequests {
	private readonly kept = new Set<RecordedRequest>();

	constructor(private readonly sandbox: Pick<Sandbox, 'requests'>) {}

	/** Reads what the service still remembers. One that is under way counts once it has failed. */
	async read(): Promise<void> {
		for (const request of await this.sandbox.requests()) {
			if (hasFailed(request)) this.kept.add(request);
		}
	}

	/** Those that failed, by the run that they were about. */
	byRun(): Failures {
		const failed = [...this.kept].filter(hasFailed);
		return {
			taskIds: new Set(failed.flatMap(({ path }) => /\/(91\d{17})(?:\/|$)/.exec(path)?.[1] ?? [])),
			words: new Set(
				failed.flatMap(({ body }) =>
					isRecord(body) && isRecord(body.input) ? [wordOf(body.input)] : [],
				),
			),
		};
	}
}

/** Also with 200, if the answer was broken off. */
function hasFailed({ status, fault }: RecordedRequest): boolean {
	return fault !== undefined || status === undefined || status >= 400;
}

/** What the finished runs put out, as JSON, by their IDs: as the service says it itself. */
export async function readOutputs(
	{ url }: Sandbox,
	runs: readonly SandboxRun[],
): Promise<Map<string, string>> {
	const outputs = new Map<string, string>();
	const finished = runs.filter(({ status }) => status === 'finished');
	await mapConcurrently(finished, 8, async ({ taskId, key }) => {
		const headers = { authorization: `Bearer ${key}` };
		const answer = await fetch(`${url}/v3/bots/runs/${taskId}`, { headers });
		const detail: unknown = await answer.json();
		if (isRecord(detail) && detail.output !== undefined && detail.output !== null) {
			outputs.set(taskId, JSON.stringify(detail.output));
		}
	});
	return outputs;
}
