import type { StoredExecution } from '../../../core/harness';
import type { Ending } from './play';
import { longest } from './play';
import type { ServiceRun } from './service';
import type { Story } from './story';
import { BETWEEN, END, keywordsOf, maxRunsOf, roundOf, WAIT_MS, waitingNodesOf } from './workflows';
import type { Deed } from './workflows';
import { BEGIN } from './time';

export function complaintsAbout(ending: Ending): string[] {
	return [
		...startedTwice(ending),
		...startedTooMany(ending),
		...startedAfterCancel(ending),
		...ranTooLong(ending),
		...leftGoing(ending),
		...polledTooOften(ending),
		...toldSecrets(ending),
		...resumedFromStaleSnapshot(ending),
		...endedByFence(ending),
		...sleptTooLong(ending),
		...late(ending),
		...idleSlots(ending),
		...doneTwice(ending),
		...wokenTooSoon(ending),
		...(ending.tooSoon > 0 ? ['resumed while n8n was still suspending it'] : []),
		...unreported(ending),
		...wrongResults(ending),
	];
}

/** Whether more happens than an execution on its own in a sound n8n: then nothing is late or idle by this node's fault alone. */
function isWide(story: Story): boolean {
	const { production, clock, copies = [], lostStores = [], oddStarts = [] } = story;
	const others = [...copies, ...lostStores, ...oddStarts];
	return production !== undefined || clock !== undefined || others.length > 0;
}

/** From so many items on, what a node is to start is stored before. */
const STORED_FROM = 2;

function startedTwice({ story, runs, executions }: Ending): string[] {
	// Where n8n died while it started what it had not stored, it knows of none of its starts.
	const isForgotten = executions.length > 1 && executions[0]?.status === 'crashed';
	const { items } = story;
	const round = roundOf(story) ?? items;
	const atOnce = items % round || round;
	const isReused = story.allowed.reuseWithin !== undefined;
	const isStored = atOnce >= STORED_FROM && story.hairpin && !story.keepsRunning;
	if (isForgotten && !isReused && !isStored) return [];
	// A database that cannot store has nothing of what was started: the log alone names it.
	if (executions.length > 1 && (story.lostStores ?? []).length > 0) return [];
	// A retry begins anew what failed or was canceled; nothing else has more than one start.
	const isKept = ({ ends, isLost }: ServiceRun): boolean => ends === 'finished' || isLost === true;
	const counted = executions.length > 1 ? runs.filter(isKept) : runs;
	return repeated(counted.map(({ botId, keyword }) => `${keyword} by bot ${botId}`)).map(
		(start) => `started twice: ${start}`,
	);
}

/** Each execution counts its own starts. */
function startedTooMany({ story, runs, retriedAt }: Ending): string[] {
	const max = maxRunsOf(story) ?? Infinity;
	const starts = runs.map(
		({ botId, createdAt, keyword }) =>
			`${botId}, ${createdAt >= retriedAt}, ${keyword.replace(/^item \d+/, '')}`,
	);
	return [...new Set(starts)]
		.filter((start) => starts.filter((other) => other === start).length > max)
		.map((start) => `more than ${max} starts by bot, in a retry: ${start}`);
}

/** The next round of a node is a batch of its own. */
function startedAfterCancel({ story, runs, canceled }: Ending): string[] {
	if (roundOf(story) !== undefined) return [];
	return canceled.flatMap(({ node, at }) =>
		runs
			.filter(({ botId, createdAt }) => node.endsWith(` ${botId}`) && createdAt > at)
			.filter(({ keyword }) => !keyword.includes(' of copy '))
			.map(({ taskId }) => `${taskId} was started after all of ${node} were canceled`),
	);
}

/** n8n's wait timer is up to a minute late; storing and resuming take their time, too. */
const CANCELED_WITHIN = 150_000;

function ranTooLong(ending: Ending): string[] {
	const { story, runs, endedAt } = ending;
	const { cancelAfter } = story.allowed;
	if (cancelAfter === undefined || isWide(story) || story.outages.length + story.crashes.length > 0)
		return [];
	const longest = cancelAfter * 60_000 + CANCELED_WITHIN;
	return runs
		.filter((run) => !mayHavePaused(story, run))
		.filter((run) => Math.min(run.endsAt, endedAt, leftAt(run, ending)) - run.createdAt > longest)
		.map(({ taskId }) => `${taskId} ran for longer than ${cancelAfter} min`);
}

/** Whether a run may have been left to itself as it paused, where that is enough. */
function mayHavePaused({ whenPaused }: Story, { pauses = [] }: ServiceRun): boolean {
	return whenPaused === 'continue' && pauses.length > 0;
}

/** Runs that the user wants canceled go on after the execution. */
function leftGoing({ story, runs, executions, endedAt }: Ending): string[] {
	const { outages, crashes } = story;
	const isOdd = isWide({ ...story, oddStarts: [] }) || outages.length + crashes.length > 0;
	if (story.cancelsUnfinished !== true || isOdd || executions.length > 1) return [];
	return runs
		.filter((run) => !run.isLost && !mayHavePaused(story, run))
		.filter(({ endsAt }) => endsAt > endedAt + CANCELED_WITHIN)
		.map(({ taskId }) => `${taskId} was left going`);
}

/** What resumes an execution, or passes for a callback, is in no log: tokens, and the IDs of suspensions. */
function toldSecrets({ log }: Ending): string[] {
	return log.filter((line) => /[\da-f]{32}/.test(line)).map((line) => `told a secret: ${line}`);
}

/** How many polls of an account a process may send at once, and in a minute on average: its watcher forty, as many the executions that are awake. */
const POLLS = { atOnce: 40, perMinute: 80 };

/** The main process in queue mode watches nothing; each of the two workers does, or the two processes of a manual execution. */
function polledTooOften({ polls, endedAt, story }: Ending): string[] {
	const processes = story.deployment === 'regular' ? 1 : 2;
	const lives = processes + story.crashes.length;
	const minutes = (endedAt - BEGIN) / 60_000;
	const most = lives * POLLS.atOnce + processes * POLLS.perMinute * minutes;
	return polls > most ? [`${polls} polls in ${Math.round(minutes)} min`] : [];
}

/**
 * When its node was done with a run at the latest, which is then left to itself: at the wait limit, which the node counts from its
 * first start at the latest, or when the next node or round of the loop began.
 */
function leftAt(run: ServiceRun, { story, runs, retriedAt }: Ending): number {
	const round = roundOf(story);
	const stageOf = ({ botId, keyword }: ServiceRun): number =>
		round === undefined ? Number(botId === 'B') : Math.floor(Number(keyword.split(' ')[1]) / round);
	const isOfRetry = ({ createdAt }: ServiceRun): boolean => createdAt >= retriedAt;
	const alike = runs.filter(
		(other) => stageOf(other) === stageOf(run) && isOfRetry(other) === isOfRetry(run),
	);
	const later = runs.filter((other) => stageOf(other) > stageOf(run));
	const limit = Math.min(...alike.map(({ createdAt }) => createdAt)) + story.limit * 60_000;
	return Math.min(limit, ...later.map(({ createdAt }) => createdAt));
}

/** Where n8n claims an execution minutes after it has read it, nobody can prevent that. */
function resumedFromStaleSnapshot({ overwritten, story }: Ending): string[] {
	return overwritten === 0 || story.production !== undefined
		? []
		: [`resumed ${overwritten} times from a stale snapshot`];
}

/** Nor that the fence then ends the execution. In the editor it may where nothing is lost: a person is there, who would wait for longer. */
function endedByFence({ executions, copies, story }: Ending): string[] {
	if (story.production !== undefined || story.deployment === 'manual') return [];
	return [...executions, ...copies].flatMap(({ data, executionId }) =>
		JSON.stringify(data?.resultData ?? '').includes('from an old state')
			? [`execution ${executionId} was ended by the fence`]
			: [],
	);
}

/**
 * The delay budget, in milliseconds: how long after the last run, or after the last outage of the service, its results
 * may come. Where n8n reaches itself, polls of runs of hours are half a minute apart, and a resume may meet n8n at
 * work; elsewhere, where n8n always takes too long to be called, or where the process that watched is gone, n8n's
 * clock has to find out, which many sleepers put off.
 */
const LATEST_WATCHED = 45_000;
const LATEST = 17.5 * 60_000;
const TOO_LONG = 1_000;
const PUT_OFF = 2_000;
const AFTER_OUTAGE = 60_000;

function late({ story, executions, endedAt, runs }: Ending): string[] {
	const [execution, retried] = executions;
	if (execution?.status !== 'success' || retried !== undefined || runs.length === 0) return [];
	const { crashes, outages, production, lostStores = [], clock, copies = [] } = story;
	if (production !== undefined || lostStores.length > 0) return [];
	const backAt = outages.map(({ at, lasts }) => BEGIN + at + lasts + AFTER_OUTAGE);
	// An execution that was begun later may start nothing, as its start is refused.
	const begunAt = copies.map((at) => BEGIN + at);
	const late = endedAt - Math.max(...runs.map(({ endsAt }) => endsAt), ...backAt, ...begunAt);
	const waits = ['wait', 'sibling'].includes(story.shape) ? WAIT_MS + 60_000 : 0;
	const isCalled = story.hairpin && story.asks.some(({ there, held }) => there + held < TOO_LONG);
	const isWatched = isCalled && crashes.length === 0;
	const downtime = crashes.reduce((sum, { downtime }) => sum + downtime, 0);
	// n8n's own wait timer, and its Wait node, go by the clock that was moved.
	if (clock !== undefined && (!isWatched || waits > 0)) return [];
	const byTimer = LATEST + story.others * PUT_OFF + downtime;
	const budget = (isWatched ? LATEST_WATCHED : byTimer) + waits;
	return late > budget ? [`results came ${Math.round(late / 1_000)} s after the last run`] : [];
}

/**
 * For how long not all slots of the plan may be used, in milliseconds, while an execution whose runs are watched waits for
 * one: a poll, a resume that meets n8n at work, and tries after starts were refused that should not have been.
 */
const MAX_IDLE = 90_000;

/** Runs that last at least so long, in milliseconds, go on together whatever n8n takes to resume an execution. */
const OVERLAPPING = 10_000;

/** Slots that stand idle though starts wait for them: in the only batch of a node, which has been watched all the time. */
function idleSlots({ story, executions, runs }: Ending): string[] {
	const { slots, asks, crashes, outages, presses, hairpin, keepsRunning, deployment } = story;
	const isCalled = hairpin && asks.every(({ there, held }) => there + held < TOO_LONG);
	const isDisturbed = crashes.length + outages.length + presses.length > 0 || keepsRunning;
	const isSimple = story.shape === 'one' && deployment === 'regular' && executions.length === 1;
	const areShort = story.fates.some(({ lasts }) => lasts < OVERLAPPING);
	if (!isCalled || isDisturbed || !isSimple || areShort || isWide(story)) return [];
	// Until when all slots were used.
	let usedAt = runs[0]?.createdAt ?? 0;
	return runs.flatMap(({ createdAt, taskId }, index) => {
		const idle = createdAt - usedAt;
		const going = runs.slice(0, index + 1).filter(({ endsAt }) => endsAt > createdAt);
		if (going.length >= slots) usedAt = Math.min(...going.map(({ endsAt }) => endsAt));
		if (idle <= MAX_IDLE) return [];
		return [`not all slots were used for ${Math.round(idle / 1_000)} s before ${taskId}`];
	});
}

function sleptTooLong({ story, executions, copies, endedAt }: Ending): string[] {
	// n8n calls an execution running for good that it could not store.
	if ((story.lostStores ?? []).length > 0) return [];
	return [...executions, ...copies].flatMap(({ status, executionId }) => {
		if (status !== 'waiting' && status !== 'running') return [];
		const minutes = Math.round((endedAt - BEGIN) / 60_000);
		return [`execution ${executionId} is ${status} after ${minutes} min, limit ${longest(story)}`];
	});
}

/** Where n8n claims an execution minutes after it has read it, the nodes between two that suspend it may be executed again. */
function doneTwice({ deeds, executions, story }: Ending): string[] {
	const isBetween = ({ node }: Deed): boolean =>
		node !== END || story.shape === 'fork' || story.shape === 'sibling';
	const counted = story.production === undefined ? deeds : deeds.filter((deed) => !isBetween(deed));
	// n8n itself carries a node out again that it died in.
	if (executions.length > 1 && executions[0]?.status === 'crashed') return [];
	return repeated(counted.map(({ node, keyword }) => `${node} for ${String(keyword)}`)).map(
		(deed) => `done twice: ${deed}`,
	);
}

/** n8n's own Wait node behind the waiting one, which a timer woke that n8n had set for that. */
function wokenTooSoon({ deeds, story, executions }: Ending): string[] {
	if (story.shape !== 'wait' || isWide(story) || executions.length > 1) return [];
	return deeds.flatMap(({ node, keyword, at }) => {
		const before = deeds.find((deed) => deed.node === BETWEEN && deed.keyword === keyword);
		const slept = at - (before?.at ?? 0);
		if (node !== END || slept >= WAIT_MS) return [];
		return [`the Wait node slept for ${Math.round(slept / 1_000)} s alone`];
	});
}

/** Runs that neither the output nor the error names. A crashed execution tells nothing; nor does one that n8n could not store: then the log does. */
function unreported({ executions, copies, runs, story, log }: Ending): string[] {
	const last = executions.at(-1);
	if (last === undefined || [...executions, ...copies].some(({ status }) => status === 'crashed'))
		return [];
	const { lostStores = [], presses, production } = story;
	// A person may have canceled all of a node from a state that n8n read before the next node started its runs.
	const isCanceledLate =
		production !== undefined && presses.some(({ what }) => what === 'cancelAll');
	const isLost = lostStores.length > 0 || isCanceledLate;
	const told = [last, ...copies].map(({ data }) => data?.resultData);
	const reported = JSON.stringify(isLost ? [told, log] : told);
	return runs
		.filter(
			({ taskId, ends, isLost }) =>
				!isLost &&
				!reported.includes(`${taskId}`) &&
				!(executions.length > 1 && ends !== 'finished'),
		)
		.map(({ taskId }) => `${taskId} is named nowhere`);
}

function wrongResults(ending: Ending): string[] {
	const { executions, copies } = ending;
	return [
		...wrongResultsOf(ending, executions.at(-1)),
		...copies.flatMap((execution, copy) => wrongResultsOf(ending, execution, copy)),
	];
}

function wrongResultsOf(
	{ story, runs, deeds }: Ending,
	last: StoredExecution | undefined,
	copy?: number,
): string[] {
	if (last?.status !== 'success') return [];
	const keywords = keywordsOf(story, copy);
	const output = last.data?.resultData.runData[END] ?? [];
	const items = output.flatMap(({ data }) => data?.['main']?.[0] ?? []);
	const complaints: string[] = [];
	if (items.length !== keywords.length) {
		complaints.push(`${items.length} results for ${keywords.length} items`);
	}
	const botId = waitingNodesOf(story).at(-1)?.slice(-1);
	for (const keyword of keywords) {
		const [item, ...others] = items.filter(({ json }) => json['keyword'] === keyword);
		if (item === undefined || others.length > 0) {
			complaints.push(`${others.length + (item ? 1 : 0)} results for ${keyword}`);
			continue;
		}
		if (story.goesOn && 'error' in item.json) continue;
		const { status, task_id: taskId, timed_out: timedOut } = item.json;
		const own = runs.filter((run) => run.keyword === keyword && run.botId === botId);
		const run = own.find((one) => one.taskId === taskId);
		if (run === undefined) {
			complaints.push(`${keyword} has the result of ${String(taskId)}`);
		} else if (timedOut === undefined && !isResultOf(status, run, story)) {
			complaints.push(`${keyword} has status ${String(status)}`);
		}
	}
	const atEnd = deeds.filter(({ node }) => node === END).map(({ keyword }) => String(keyword));
	const reached = new Set(atEnd.filter((keyword) => keywords.includes(keyword)));
	if (reached.size !== keywords.length) complaints.push(`${reached.size} items reached the end`);
	return complaints;
}

/** A run that was paused when it was polled may run again when it is read. */
function isResultOf(status: unknown, run: ServiceRun, { whenPaused }: Story): boolean {
	const afterPause: unknown[] = whenPaused === 'continue' ? ['paused', 'running'] : [];
	return [run.ends, ...afterPause].includes(status);
}

function repeated(values: string[]): string[] {
	const seen = new Set<string>();
	return values.filter((value) => seen.size === seen.add(value).size);
}
