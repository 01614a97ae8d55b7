import type { Postgres } from '../../dev/n8n/services';
import type { Sandbox } from '../../dev/sandbox/server';
import type { ExecutionFacts } from '../soak/history';

/** How many executions have each status, of all or of those for which an SQL condition is true. */
export async function countByStatus(
	postgres: Postgres,
	condition = 'true',
): Promise<Map<string, number>> {
	const rows = await postgres.query(
		`SELECT status, count(*) FROM execution_entity WHERE ${condition} GROUP BY status ORDER BY status`,
	);
	return new Map(rows.map(([status = '', count]) => [status, Number(count)]));
}

/** How an execution ended, how many runs its data name, and with what error. */
export function describe({ status, stoppedAt, kept, errors }: ExecutionFacts): string {
	const since = stoppedAt === undefined ? '' : ` since ${new Date(stoppedAt).toISOString()}`;
	const said = errors.length > 0 ? ` (${errors.join(' | ')})` : '';
	return `${status}${since} and names ${kept.size} runs${said}`;
}

/**
 * Whether n8n has ended an execution badly, so that a user would retry it. An error that reports a run is
 * the node's own: here the service finishes every run, and nothing heals it.
 */
export function isToRetry(
	{ status, errors }: Pick<ExecutionFacts, 'status' | 'errors'>,
	runs: ReadonlyArray<{ taskId: string }>,
): boolean {
	const isOver = status === 'success' || status === 'waiting';
	return !isOver && !runs.some(({ taskId }) => errors.join(' ').includes(taskId));
}

/** How many callbacks to some addresses were sent and accepted, and what n8n answered, in words. */
export async function callbacksOf(
	sandbox: Sandbox,
	isMeant: (url: string) => boolean = () => true,
): Promise<string> {
	const records = (await sandbox.callbacks()).filter(({ url }) => isMeant(url));
	const answers = new Map<string, number>();
	for (const { status, error } of records.flatMap(({ attempts }) => attempts)) {
		const answer = String(status ?? error);
		answers.set(answer, (answers.get(answer) ?? 0) + 1);
	}
	const accepted = records.filter(({ outcome }) => outcome === 'accepted').length;
	const shown = [...answers].map(([answer, count]) => `${answer}: ${count}`).join(', ');
	return `${records.length}, accepted ${accepted}; answers ${shown}`;
}
