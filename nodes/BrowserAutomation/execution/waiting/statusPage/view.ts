import type { INode } from 'n8n-workflow';

import { attempt, type Attempt } from '../../../service/attempt';
import { numberIn, textAt, type JsonObject, type JsonValue } from '../../../service/json/json';
import { toRunStatus, type Runs, type RunStatus } from '../../../service/runs/runs';
import { memoryOf } from '../../../service/processMemory';
import { momentOf } from '../../../service/schema/dateTime';
import { withSignal } from '../../../transport/cancellation';
import { failureText } from '../../failures';
import {
	openRuns,
	idsOf,
	isComplete,
	isStartPending,
	progressOf,
	pendingStarts,
	type SuspendedLedger,
} from '../batch/ledger';
import { recordStatuses } from '../batch/records';
import { SLOWED_DOWN } from '../suspension/slotQueue';
import type { Suspension } from '../suspension/suspension';
import { findOrRemember } from '../suspension/suspensions';
import { watcherOf } from '../suspension/watcher';

/** Everything that the status page tells. Times in milliseconds since 1970. */
export type PageContent = ReturnType<typeof contentOf>;

/** What the status page tells now, with the runs that it shows, and the outcome of what the person asked for. */
export function contentOf(
	ledger: SuspendedLedger,
	runs: ShownRun[],
	titles: { node: INode; workflowName: string | undefined; executionUrl: string },
	notice?: string,
) {
	const open = openRuns(ledger);
	const suspension = findOrRemember(ledger);
	const { node, workflowName = 'The workflow', executionUrl } = titles;
	return {
		name: nodeTitle(node, runs),
		workflowName,
		executionUrl,
		now: Date.now(),
		startsSince: ledger.startsSince,
		deadline: ledger.deadline,
		/** When the watcher of this process, or else n8n's wait timer, has the runs polled. */
		nextPoll:
			suspension.watching.account === undefined
				? suspension.timerAt
				: Math.min(suspension.watching.dueAt, suspension.resumeAt),
		items: ledger.entries.length,
		progress: progressOf(ledger),
		open: open.length,
		unstarted: pendingStarts(ledger).length,
		/** Whether starts wait for a free slot of the plan. */
		waitsForSlot: ledger.queuedAt !== undefined && ledger.slowed === undefined,
		/** The place in line, where this process knows it. */
		queueText: watcherOf(ledger)?.queue.describe(ledger) ?? (ledger.slowed && SLOWED_DOWN),
		paused: open.filter(({ status }) => status === 'paused').length,
		isDone: isComplete(ledger),
		runs,
		activity: suspension.activity,
		notice,
	};
}

/** The bot that all shown runs are of, else the one that was chosen in the node, else the node. */
function nodeTitle({ name, parameters }: INode, runs: ShownRun[]): string {
	const [botName, ...others] = new Set(runs.map((run) => run.botName));
	if (botName !== undefined && others.length === 0) return botName;
	const chosen = Object.values(parameters).map((value) => textAt(value, 'cachedResultName'));
	return chosen.find((found) => found !== undefined) ?? name;
}

type RunDetails = ReturnType<typeof detailsOf>;

export interface ShownRun extends Partial<Omit<RunDetails, 'status'>> {
	/** The item that it was started for, from 0. */
	item: number;
	taskId?: string | undefined;
	status: RunStatus | 'refused';
	/** Why it has failed, cannot be read, or was never started. */
	problem?: string | undefined;
}

/** The most urgent first. */
const ORDER = 'paused pausing running created unknown refused failed canceled finished'.split(' ');

function byUrgency(one: ShownRun, other: ShownRun): number {
	return ORDER.indexOf(one.status) - ORDER.indexOf(other.status);
}

const RUNS_SHOWN = 20;

/** What is known of the most urgent runs. */
export function shownRuns(node: INode, ledger: SuspendedLedger): ShownRun[] {
	const { details } = shownOf(findOrRemember(ledger));
	const runs = ledger.entries.flatMap((entry, item): ShownRun[] => {
		if (isStartPending(entry)) return [];
		const { taskId, status, refusal } = entry;
		const shown = details.get(taskId ?? '');
		const isRefused = refusal !== undefined;
		const problem = isRefused ? failureText(node, refusal.message) : shown?.failure;
		return [
			{ ...shown, item, taskId, status: isRefused ? 'refused' : (status ?? 'unknown'), problem },
		];
	});
	return runs.sort(byUrgency).slice(0, RUNS_SHOWN);
}

/** For how long what was read is shown to whoever else has the page open. */
const SHARED_FOR_MS = 4_000;

/** How many runs that the list does not show are asked about one by one in a poll. */
const MAX_PAGE_SINGLES = 3;

/** What is shown of a suspension: what was read of its runs, and the last poll with the time until which others share it. */
interface Shown {
	details: Map<string, RunDetails>;
	poll?: { until: number; answer: Promise<Attempt<boolean>> };
}

const shownOfSuspensions = memoryOf<Shown>('statusPages');

/** For how long it is remembered after the page was last asked for. */
const KEPT_FOR_MS = 600_000;

function shownOf({ id }: Suspension): Shown {
	return shownOfSuspensions.getOrMake(id, () => ({ details: new Map() }), Date.now() + KEPT_FOR_MS);
}

/**
 * Polls the runs for people, apart from what the watcher asks. All who have the page open share a poll, unless `mustPoll`.
 * What it finds is recorded in this handler's copy of the ledger, and counts as a poll of the watcher's.
 *
 * @returns whether there is something for the execution to go on with, or why the service could not be asked
 */
export async function pollForPage(
	node: INode,
	ledger: SuspendedLedger,
	getRuns: () => Promise<Runs>,
	answerDue: AbortSignal,
	mustPoll: boolean,
): Promise<Attempt<boolean>> {
	const suspension = findOrRemember(ledger);
	const shown = shownOf(suspension);
	if (mustPoll || shown.poll === undefined || shown.poll.until <= Date.now()) {
		const poll = { until: Infinity, answer: attempt(readShown(node, ledger, getRuns)) };
		shown.poll = poll;
		void poll.answer.then(() => (poll.until = Date.now() + SHARED_FOR_MS));
	}
	const read = await attempt(withSignal(answerDue, shown.poll.answer));
	recordSeen(ledger, suspension);
	return read.ok ? read.value : read;
}

async function readShown(
	node: INode,
	ledger: SuspendedLedger,
	getRuns: () => Promise<Runs>,
): Promise<boolean> {
	const suspension = findOrRemember(ledger);
	const { details } = shownOf(suspension);
	recordSeen(ledger, suspension);
	const withoutDetails = shownRuns(node, ledger).flatMap(({ taskId = '', status }) =>
		status !== 'refused' && details.get(taskId)?.status !== status ? [taskId] : [],
	);
	const taskIds = [...withoutDetails, ...idsOf(openRuns(ledger))];
	const runs = await getRuns();
	const answers = await runs.readStatuses(taskIds, {
		since: suspension.startsSince,
		isFinal: false,
		maxSingles: MAX_PAGE_SINGLES,
		onRecord: (taskId, record) => details.set(taskId, detailsOf(record)),
	});
	const watcher = watcherOf(ledger);
	if (watcher === undefined) suspension.noteAnswers(answers);
	else watcher.noteAnswers([suspension], answers);
	return suspension.isWorthResuming;
}

/** Records in this copy of the ledger what was read of open runs during the suspension, also of paused ones that are awaited no more. */
function recordSeen(ledger: SuspendedLedger, suspension: Suspension): void {
	const { details } = shownOf(suspension);
	const seen = openRuns(ledger).map(({ taskId }) => [taskId, details.get(taskId)?.status] as const);
	recordStatuses(ledger, new Map(seen.filter(([, status]) => status !== 'unknown')));
	recordStatuses(ledger, suspension.answers);
}

/** What the service tells of a run. Times in milliseconds since 1970. */
function detailsOf(run: JsonObject) {
	return {
		status: toRunStatus(run.status),
		botName: textAt(run, 'bot_name'),
		createdAt: finite(momentOf(textAt(run, 'created_at'))),
		/** What it has used so far. */
		credit: finite(numberIn(run.credit)),
		steps: Array.isArray(run.steps) ? run.steps.length : undefined,
		failure: textAt(run.task_failure_info, 'message'),
		liveView: webAddress(run.live_url_info, 'live_url') ?? webAddress(run, 'live_url'),
		log: webAddress(run, 'log_detail_url'),
	};
}

function finite(number: number): number | undefined {
	return Number.isFinite(number) ? number : undefined;
}

/** Only what a browser opens as a web page: a link to anything else could run in the page. */
function webAddress(record: JsonValue | undefined, key: string): string | undefined {
	const text = textAt(record, key);
	return /^https?:\/\//i.test(text ?? '') ? text : undefined;
}
