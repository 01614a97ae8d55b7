import { isRecord } from '../../dev/n8n/json';
import type { RecordedRequest } from '../../dev/sandbox/recorder';
import type { Sandbox } from '../../dev/sandbox/server';
import { wordOf } from './words';

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
