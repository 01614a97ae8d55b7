import type { IHttpRequestOptions } from 'n8n-workflow';

import type { Outage, Story } from './story';
import { BEGIN, serviceTime } from './time';

export const SERVICE_URL = 'https://service.example.com';

export interface ServiceRun {
	taskId: string;
	botId: string;
	keyword: string;
	createdAt: number;
	endsAt: number;
	ends: 'finished' | 'failed' | 'canceled';
	callbackUrl: string | undefined;
	statusUrl?: string | undefined;
	pauses?: Array<{ after: number; lasts: number }>;
	created?: number;
	/** Whether its start was not answered. */
	isLost?: boolean;
}

interface SentStart {
	input: { keyword: string };
	callback_url?: string;
	status_change_callback_url?: string;
}

export interface ServiceAnswer {
	statusCode: number;
	headers: Record<string, string>;
	body: string;
}

/** No connection, as Node reports it. */
export class NoConnection extends Error {
	constructor(
		message: string,
		readonly code = 'ECONNREFUSED',
	) {
		super(message);
	}
}

/** The service, as far as waiting needs it: starts with the plan's limit of running tasks, statuses, the list, and runs. A run takes the story's next fate when it is started. */
export class Service {
	readonly runs: ServiceRun[] = [];
	/** How often it was asked how runs stand. */
	polls = 0;
	/** How often a start was asked for. */
	private asked = 0;

	constructor(
		private readonly story: Story,
		private readonly onStart: (run: ServiceRun, index: number) => void,
	) {}

	answer({ method, url, body }: IHttpRequestOptions): ServiceAnswer {
		const { pathname, searchParams } = new URL(url);
		const [version, , ...rest] = pathname.split('/').slice(1);
		const isStart = method === 'POST' && rest.at(-1) === 'runs';
		if (method === 'GET' && ['runs', 'status'].includes(rest.at(-1) ?? '')) this.polls += 1;
		const outage = this.outage();
		if (outage !== undefined) {
			if (isStart) throw new NoConnection('connect ECONNREFUSED');
			if (outage.refuses === true) return refused(400, 10_021, 'Not now');
			return refused(503, 50_000, 'Service unavailable');
		}
		if (version !== 'v3') return refused(400, 99_001, `No such path: ${pathname}`);
		const [first = '', second, third] = rest;
		if (isStart) return this.start(first, String(body));
		if (first !== 'runs') {
			return resource({ bot_id: first, bot_type: 'workflow', name: first, input_schema: null });
		}
		if (second === undefined) return this.list(searchParams);
		const run = this.runs.find(({ taskId }) => taskId === second);
		if (run === undefined) return refused(400, 10_112, 'Run not found');
		if (third === 'cancel') return this.cancel(run);
		if (third === 'status') return resource({ task_id: run.taskId, status: statusOf(run) });
		return resource(this.detailOf(run));
	}

	/** What the service sends to a run's callback URL. */
	detailOf(run: ServiceRun): Record<string, unknown> {
		const status = statusOf(run);
		return {
			...summaryOf(run),
			log_detail_url: `${SERVICE_URL}/logs/${run.taskId}`,
			...(status === 'finished' && { output: [{ of: run.keyword }] }),
			...(status === 'failed' && { task_failure_info: { code: 7, message: 'Broken' } }),
		};
	}

	private cancel(run: ServiceRun): ServiceAnswer {
		if (run.endsAt <= serviceTime()) return refused(400, 10_121, 'The run has ended');
		Object.assign(run, { endsAt: serviceTime(), ends: 'canceled' });
		return resource({ task_id: run.taskId, status: 'canceled' });
	}

	private start(botId: string, body: string): ServiceAnswer {
		const start = this.asked++;
		const refusal = this.story.refusals.find((one) => one.start === start);
		if (refusal?.slowsDown === true) return refused(429, 429, 'Too many requests');
		if (refusal !== undefined) return refused(400, 10_118, 'Too many running tasks');
		const odd = this.story.oddStarts?.find((one) => one.start === start)?.how;
		if (odd === 'refused') return refused(400, 5, 'No such bot');
		const running = this.runs.filter((run) => run.endsAt > serviceTime()).length;
		if (running >= this.story.slots) return refused(400, 10_118, 'Too many running tasks');
		const index = this.runs.length;
		const fate = this.story.fates[index % this.story.fates.length];
		const sent: SentStart = JSON.parse(body);
		const run: ServiceRun = {
			taskId: `run-${index + 1}-of-${botId}`,
			botId,
			keyword: sent.input.keyword,
			createdAt: serviceTime(),
			endsAt: serviceTime() + (fate?.lasts ?? 0),
			ends: fate?.ends ?? 'finished',
			callbackUrl: sent.callback_url,
			statusUrl: sent.status_change_callback_url,
			pauses: fate?.pauses ?? [],
			created: fate?.created ?? 0,
			isLost: odd === 'lost',
		};
		this.runs.push(run);
		this.onStart(run, index);
		if (run.isLost) throw new NoConnection('socket hang up', 'ECONNRESET');
		return resource({ task_id: run.taskId, status: 'created' });
	}

	private list(query: URLSearchParams): ServiceAnswer {
		const [page, limit] = [Number(query.get('page') ?? 1), Number(query.get('limit') ?? 20)];
		const status = query.get('status');
		const newestFirst = [...this.runs]
			.reverse()
			.filter((run) => status === null || statusOf(run) === status);
		return resource({
			items: newestFirst.slice((page - 1) * limit, page * limit).map(summaryOf),
			page,
			limit,
			total_count: newestFirst.length,
			total_pages: Math.ceil(newestFirst.length / limit),
		});
	}

	private outage(): Outage | undefined {
		const now = serviceTime() - BEGIN;
		return this.story.outages.find(({ at, lasts }) => now >= at && now < at + lasts);
	}
}

function statusOf(run: ServiceRun): string {
	const age = serviceTime() - run.createdAt;
	if (run.endsAt <= serviceTime()) return run.ends;
	if (age < (run.created ?? 0)) return 'created';
	return (run.pauses ?? []).some(({ after, lasts }) => age >= after && age < after + lasts)
		? 'paused'
		: 'running';
}

function summaryOf(run: ServiceRun): Record<string, unknown> {
	return {
		task_id: run.taskId,
		bot_id: run.botId,
		bot_type: 'workflow',
		status: statusOf(run),
		created_at: new Date(run.createdAt).toISOString(),
		input: { keyword: run.keyword },
	};
}

function resource(content: object): ServiceAnswer {
	return { statusCode: 200, headers: {}, body: JSON.stringify(content) };
}

function refused(statusCode: number, code: number, msg: string): ServiceAnswer {
	const envelope = { code, msg, data: null, ts: serviceTime(), traceId: 'trace' };
	return { statusCode, headers: {}, body: JSON.stringify(envelope) };
}
