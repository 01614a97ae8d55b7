import type { StoredExecution } from '../../../core/harness';
import { ProcessedData } from '../../../fixture/processedData';
import { chanceFrom } from '../../../../dev/sandbox/automations/chance';
import { N8n, type Handling } from './n8n';
import { Service, type ServiceRun } from './service';
import type { Delivery, Press, Story } from './story';
import { endVirtualTime, moment, moveClock, passTime, serviceTime, startVirtualTime } from './time';
import { keywordsOf, roundsOf, WAIT_MS } from './workflows';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

/** How long the service waits before it calls again after a fault, and how often it does so. */
const CALL_AGAIN_AFTER = [5 * SECOND, 10 * SECOND, 20 * SECOND];

/** How often the status page presses a button again that meets n8n at work. */
const PRESSES = 60;

/** How a call is handled that nothing slows down. */
const PROMPT: Handling = { process: 0, held: 50, claim: 20, fails: false };

/** How far from a date of the wait timer a request that aims at it may come, in milliseconds, in all. */
const CLOCK_SPREAD = 4 * SECOND;

export interface Ending
	extends
		Pick<N8n, 'deeds' | 'overwritten' | 'tooSoon' | 'log' | 'trace'>,
		Pick<Service, 'runs' | 'polls'> {
	story: Story;
	/** The execution, and the one that it was retried with. */
	executions: StoredExecution[];
	/** Further executions of the workflow, in the order of the story's `copies`. */
	copies: StoredExecution[];
	/** When the last of them had ended, in milliseconds since 1970. */
	endedAt: number;
	/** Batches that a person has canceled as a whole: the node, and when, in milliseconds since 1970. */
	canceled: Array<{ node: string; at: number }>;
	/** When the execution was retried, in milliseconds since 1970; never where it was not. */
	retriedAt: number;
}

export async function play(story: Story): Promise<Ending> {
	startVirtualTime();
	const { clock, copies = [] } = story;
	if (clock !== undefined) setTimeout(() => moveClock(clock.by), clock.at);
	try {
		const chance = chanceFrom(story.seed);
		ProcessedData.install();
		jest.spyOn(Math, 'random').mockImplementation(chanceFrom(story.seed + 1));
		const service = new Service(story, (run, index) => {
			const fate = story.fates[index % story.fates.length];
			for (const delivery of fate?.deliveries ?? []) scheduleCall(run, delivery);
			scheduleStatusCalls(run);
		});
		const n8n = new N8n(story, service, chance);
		const call = async (
			run: ServiceRun,
			url: string,
			handling: Handling,
			tries: number,
		): Promise<void> => {
			const answer = await n8n.receive(url, { body: service.detailOf(run) }, handling);
			const pause = CALL_AGAIN_AFTER[tries];
			if (answer !== undefined && answer.status < 500) return;
			if (pause !== undefined) setTimeout(() => void call(run, url, handling, tries + 1), pause);
		};
		const scheduleCall = (run: ServiceRun, delivery: Delivery): void => {
			if (run.callbackUrl === undefined) return;
			const url = new URL(run.callbackUrl);
			if (delivery.forged) url.searchParams.set('token', 'f'.repeat(32));
			if (delivery.aim === 'end') {
				const at = Math.max(run.createdAt + SECOND / 2, run.endsAt + delivery.after);
				setTimeout(() => void call(run, url.toString(), delivery, 0), at - serviceTime());
				return;
			}
			setTimeout(() => {
				const date = n8n.nextDate();
				const offset = (delivery.after % CLOCK_SPREAD) - CLOCK_SPREAD / 2;
				const pause = date + offset - delivery.held - Date.now();
				setTimeout(() => void call(run, url.toString(), delivery, 0), pause);
			}, run.endsAt - serviceTime());
		};

		const scheduleStatusCalls = (run: ServiceRun): void => {
			const { statusUrl, pauses = [] } = run;
			if (statusUrl === undefined) return;
			const moments = [
				...pauses.flatMap(({ after, lasts }) => [after, after + lasts]),
				run.endsAt - run.createdAt,
			];
			for (const at of moments) {
				if (run.createdAt + at <= run.endsAt)
					setTimeout(() => void call(run, statusUrl, PROMPT, 0), at + 50);
			}
		};
		const canceled: Ending['canceled'] = [];
		const pressAgain = async (press: Press, tries: number): Promise<void> => {
			const { what } = press;
			const page = n8n.pageOf(executionIds.at(-1) ?? '');
			const taskId = typeof what === 'object' ? service.runs[what.cancel]?.taskId : undefined;
			const body = typeof what === 'string' ? { action: what } : { cancel: taskId ?? 'none' };
			const isTaken =
				page !== undefined &&
				(await n8n.receive(page.url, { method: 'POST', body }, { ...press, fails: false }).then(
					(answer) => answer?.status === 200,
					// A page that is shown before n8n fails to claim the execution stays shown.
					() => true,
				));
			if (isTaken) {
				if (what === 'cancelAll') canceled.push({ node: page.node, at: serviceTime() });
			} else if (tries < PRESSES) {
				setTimeout(() => void pressAgain(press, tries + 1), SECOND / 2);
			}
		};
		for (const press of story.presses) setTimeout(() => void pressAgain(press, 1), press.at);

		const copyIds = new Map<number, string>();
		const executionIds = [n8n.start(keywordsOf(story))];
		for (const [copy, at] of copies.entries()) {
			setTimeout(() => copyIds.set(copy, n8n.start(keywordsOf(story, copy))), at);
		}
		const areOver = (): boolean =>
			copyIds.size === copies.length &&
			[...executionIds, ...copyIds.values()].every((id) => n8n.isOver(id));
		let retriedAt = Infinity;
		let endedAt = await untilEnded(story, areOver);
		const failed = n8n.stored(executionIds[0] ?? '');
		const hasFailed = failed.status === 'error' || failed.status === 'crashed';
		// n8n stores nothing of a manual execution before it sleeps or ends.
		if (story.retries && hasFailed && failed.data !== undefined) {
			await passTime(() => n8n.isUp, Infinity);
			n8n.trace.push(`${moment()} a person retries the execution`);
			retriedAt = serviceTime();
			executionIds.push(n8n.retry(failed.executionId));
			endedAt = await untilEnded(story, areOver);
		}
		// What is still under way has its time: a late handler may do harm after the end.
		await passTime(() => false, Date.now() + 3 * MINUTE);
		const stored = (ids: string[]) => ids.map((executionId) => n8n.stored(executionId));
		const { trace, log, deeds, overwritten, tooSoon } = n8n;
		const { runs, polls } = service;
		return {
			story,
			executions: stored(executionIds),
			copies: stored(copies.flatMap((_, copy) => copyIds.get(copy) ?? [])),
			canceled,
			retriedAt,
			...{ endedAt, runs, polls, deeds, overwritten, tooSoon, log, trace },
		};
	} finally {
		endVirtualTime();
	}
}

/** Lets time pass until no execution sleeps or is under way, and says when that was. */
async function untilEnded(story: Story, areOver: () => boolean): Promise<number> {
	const { copies = [], clock } = story;
	const all = longest(story) * (1 + copies.length) + Math.abs(clock?.by ?? 0);
	await passTime(areOver, Date.now() + all);
	return serviceTime();
}

/** How long an execution may take at most, in milliseconds. */
export function longest(story: Story): number {
	const round = story.limit * MINUTE + MINUTE + SLACK;
	const downtimes = story.crashes.map(({ downtime }) => downtime);
	// Others that n8n executes before it, one after the other.
	const busy = (story.production?.busy ?? []).map(({ lasts }) => lasts);
	const others = [...downtimes, ...busy].reduce((sum, lasts) => sum + lasts, 0);
	return roundsOf(story) * round + WAIT_MS + MINUTE + others;
}

/** What requests, retries of reads and storing take in a round, in milliseconds. */
const SLACK = 3 * MINUTE;
