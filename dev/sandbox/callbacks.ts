import { setMaxListeners } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { fetchAlone } from '../fetchAlone';
import type { CallbackFaults, FaultRules } from './faults';
import { isTerminal } from './runs';
import type { Run, RunStatus } from './runs';
import type { RunView } from './runView';

export type CallbackEvent = 'runCompleted' | 'runStatusChanged';

/** One POST of a callback: what came back, or why nothing did. */
export interface CallbackAttempt {
	/** Epoch milliseconds. */
	readonly at: number;
	readonly status?: number;
	readonly error?: string;
}

/** A callback that was to be sent, and what became of it. */
export interface CallbackRecord {
	readonly taskId: string;
	readonly key: string;
	readonly event: CallbackEvent;
	readonly status: RunStatus;
	readonly url: string;
	readonly attempts: CallbackAttempt[];
	/** `lost` callbacks were never sent, on purpose. */
	outcome: 'pending' | 'accepted' | 'refused' | 'lost';
}

/** How long a receiver may take to answer, in milliseconds. */
const ANSWER_WITHIN_MS = 30_000;
const REPETITIONS = 3;
const SENT_AT_ONCE = 100;

interface Delivery {
	readonly record: CallbackRecord;
	readonly body: string;
	/** Settled when the run's callback before this one has been tried. */
	readonly before: Promise<void> | undefined;
}

interface HeldDelivery {
	readonly delivery: Delivery;
	readonly tried: () => void;
}

/**
 * Sends callbacks by real HTTP the documented way: a POST of the run detail; 2xx accepts it, a 5xx
 * answer is repeated up to three times, redirects are not followed, nothing else is repeated. The
 * callbacks of a run to one URL are first tried in order; a repetition does not hold up the next.
 */
export class Callbacks {
	private recorded: CallbackRecord[] = [];
	private held: HeldDelivery[] = [];
	/** Of each run and URL, when the latest callback has been tried. */
	private readonly tried = new Map<string, Promise<void>>();
	private readonly idle: Array<() => void> = [];
	private readonly line: Array<() => void> = [];
	private pending = 0;
	private sending = 0;
	private readonly aborter = new AbortController();

	constructor(
		private readonly view: RunView,
		private readonly faults: FaultRules,
		/** Wait before the first repetition, in milliseconds; doubled for each further one. */
		private readonly retryMs: number,
		private readonly recordLimit: number,
	) {
		// Each callback that waits listens for the end, however many there are.
		setMaxListeners(0, this.aborter.signal);
	}

	/** What was sent, oldest first. */
	records(): readonly CallbackRecord[] {
		return this.recorded;
	}

	clearRecords(): void {
		this.recorded = [];
	}

	/** Sends the callbacks that the run's present status calls for. */
	notify(run: Run): void {
		const { callbackUrl, statusCallbackUrl, status } = run;
		const completed = isTerminal(status) ? callbackUrl : undefined;
		if (completed === undefined && statusCallbackUrl === undefined) return;
		const body = JSON.stringify(this.view.detail(run));
		if (statusCallbackUrl !== undefined)
			this.begin(run, 'runStatusChanged', statusCallbackUrl, body);
		if (completed !== undefined) this.begin(run, 'runCompleted', completed, body);
	}

	/** Resolves once each callback of the run so far has been tried. */
	async attempted({ taskId, callbackUrl, statusCallbackUrl }: Run): Promise<void> {
		await Promise.all(
			[callbackUrl, statusCallbackUrl].map(async (url) => {
				await this.tried.get(lineOf(taskId, url ?? ''));
			}),
		);
	}

	/** Resolves once no callback is on its way, being repeated or held back. */
	async settled(): Promise<void> {
		if (this.pending === 0) return;
		await new Promise<void>((resolve) => this.idle.push(resolve));
	}

	/** Gives up what is on its way. */
	stop(): void {
		this.aborter.abort();
		this.held.splice(0).forEach(({ tried }) => tried());
		this.idle.splice(0).forEach((resolve) => resolve());
	}

	private begin(run: Run, event: CallbackEvent, url: string, body: string): void {
		const record: CallbackRecord = {
			taskId: run.taskId,
			key: run.key,
			event,
			status: run.status,
			url,
			attempts: [],
			outcome: 'pending',
		};
		this.recorded.push(record);
		if (this.recorded.length > this.recordLimit) this.recorded.shift();
		const faults = this.faults.callbackFaultsOf(run.key);
		if (this.faults.takeLoss(run.key)) {
			record.outcome = 'lost';
			return;
		}
		const line = lineOf(run.taskId, url);
		const before = this.tried.get(line);
		const { repeat = 1, repeatEveryMs = 0, delayMs = 0 } = faults;
		const copies = Array.from({ length: repeat }, (_, index) =>
			this.dispatch({ record, body, before }, faults, delayMs + index * repeatEveryMs),
		);
		const tried = Promise.all(copies).then(() => {
			if (this.tried.get(line) === tried) this.tried.delete(line);
		});
		this.tried.set(line, tried);
	}

	/** Resolves when the callback has been tried once. */
	private async dispatch(
		delivery: Delivery,
		{ reverseWithinMs }: CallbackFaults,
		delayMs: number,
	): Promise<void> {
		this.pending += 1;
		if (reverseWithinMs === undefined) {
			await delivery.before;
			await this.deliver(delivery, delayMs);
			return;
		}
		if (this.held.length === 0) void this.releaseAfter(reverseWithinMs);
		await new Promise<void>((tried) => this.held.push({ delivery, tried }));
	}

	private async releaseAfter(ms: number): Promise<void> {
		await this.wait(ms);
		for (const { delivery, tried } of this.held.splice(0).reverse()) {
			await this.deliver(delivery, 0);
			tried();
		}
	}

	private async deliver(delivery: Delivery, delayMs: number): Promise<void> {
		await this.wait(delayMs);
		const repeatable = await this.attempt(delivery);
		void this.finish(delivery, repeatable);
	}

	private async finish(delivery: Delivery, failedBefore: boolean): Promise<void> {
		let repeatable = failedBefore;
		for (let repetition = 0; repeatable && repetition < REPETITIONS; repetition += 1) {
			await this.wait(this.retryMs * 2 ** repetition);
			repeatable = await this.attempt(delivery);
		}
		this.pending -= 1;
		if (this.pending === 0) this.idle.splice(0).forEach((resolve) => resolve());
	}

	/** Posts once; true when the answer calls for a repetition. */
	private async attempt({ record, body }: Delivery): Promise<boolean> {
		if (this.aborter.signal.aborted) return false;
		const attempt = await this.post(record.url, body);
		record.attempts.push(attempt);
		const status = attempt.status ?? 0;
		if (record.outcome !== 'accepted') {
			record.outcome = status >= 200 && status < 300 ? 'accepted' : 'refused';
		}
		return status >= 500;
	}

	private async post(url: string, body: string): Promise<CallbackAttempt> {
		await this.takePlace();
		const at = Date.now();
		try {
			const response = await fetchAlone(url, {
				method: 'POST',
				headers: { 'content-type': 'application/json' },
				body,
				redirect: 'manual',
				signal: AbortSignal.any([this.aborter.signal, AbortSignal.timeout(ANSWER_WITHIN_MS)]),
			});
			await response.arrayBuffer();
			return { at, status: response.status };
		} catch (error) {
			return { at, error: describeError(error) };
		} finally {
			this.leavePlace();
		}
	}

	private async takePlace(): Promise<void> {
		if (this.sending >= SENT_AT_ONCE) await new Promise<void>((resolve) => this.line.push(resolve));
		else this.sending += 1;
	}

	private leavePlace(): void {
		const next = this.line.shift();
		if (next) next();
		else this.sending -= 1;
	}

	private async wait(ms: number): Promise<void> {
		if (ms === 0) return;
		await pause(ms, undefined, { signal: this.aborter.signal }).catch(() => undefined);
	}
}

function lineOf(taskId: string, url: string): string {
	return `${taskId} ${url}`;
}

function describeError(error: unknown): string {
	if (!(error instanceof Error)) return String(error);
	return error.cause instanceof Error ? error.cause.message : error.message;
}
