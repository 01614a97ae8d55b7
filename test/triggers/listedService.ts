import type { ServiceClient } from '../../nodes/BrowserAutomation/service/http/client';
import { refusal } from '../../nodes/BrowserAutomation/service/http/envelope';
import { ConnectionError } from '../../nodes/BrowserAutomation/service/errors';
import type { JsonObject } from '../../nodes/BrowserAutomation/service/json/json';
import type { ServiceRequest } from '../../nodes/BrowserAutomation/service/http/request';
import { isTerminal, type RunStatus } from '../../nodes/BrowserAutomation/service/runs/runApi';

interface ListedRun {
	taskId: string;
	/** By the service's clock, in milliseconds since 1970. */
	createdAt: number;
	/** The same in whole seconds, as the service tells it. */
	reportedAt: number;
	/** From when on the list shows it, by the time that has passed. */
	visibleAt: number;
	status: RunStatus;
	botId: string;
	/** Where it stands in the list, for services whose list is in no order. */
	place: number;
}

/** How the service sorts its list: the interface does not say. */
export type ListOrder = 'newest' | 'oldest' | 'none';

export interface ListedServiceOptions {
	order: ListOrder;
	/** The service's clock, in milliseconds since 1970. */
	clock: number;
	pageSize: number;
}

/** A service in memory that has nothing but runs. Its world can move on between any two requests. */
export class ListedService {
	readonly runs: ListedRun[] = [];
	requests = 0;
	/** How much time has passed, in milliseconds: the clock may be put back. */
	private passed = 0;
	private time: number;
	/** Whether the clock was put back before. */
	isPutBack = false;
	/** The runs that the service fails to tell about when it is asked for one of them. */
	isUnreadable: (index: number) => boolean = () => false;
	beforeAnswer: () => void = () => {};

	constructor(private readonly options: ListedServiceOptions) {
		this.time = options.clock;
	}

	get clock(): number {
		return this.time;
	}

	set clock(time: number) {
		this.passed += Math.max(0, time - this.time);
		this.time = time;
	}

	/** @param aheadMs how far it is dated ahead */
	create(delayMs = 0, botId = '1001', aheadMs = 0): string {
		const taskId = String(9_100_000_000_000_000_000n + BigInt(this.runs.length + 1));
		const place = (this.runs.length * 7919) % 1009;
		this.runs.push({
			taskId,
			createdAt: this.clock + aheadMs,
			reportedAt: Math.floor((this.clock + aheadMs) / 1_000) * 1_000,
			visibleAt: this.passed + delayMs,
			status: 'created',
			botId,
			place,
		});
		return taskId;
	}

	move(index: number, status: RunStatus): void {
		const run = this.runs[index];
		if (run !== undefined && !isTerminal(run.status)) run.status = status;
	}

	readonly client: ServiceClient = {
		baseUrl: 'https://service.test',
		lastDate: () => Math.floor(this.clock / 1_000) * 1_000,
		send: async ({ path, query = {} }: ServiceRequest) => {
			this.requests += 1;
			this.beforeAnswer();
			if (path === '/v3/bots/runs') return this.list(query);
			const [, taskId, rest] = /^\/v3\/bots\/runs\/(\d+)(\/status)?$/.exec(path) ?? [];
			const index = this.runs.findIndex((candidate) => candidate.taskId === taskId);
			const run = this.runs[index];
			if (this.isUnreadable(index)) throw refusal(500, undefined);
			if (run === undefined) {
				throw refusal(400, { code: 10112, msg: 'none', traceId: 't', data: null });
			}
			if (rest !== undefined) return { task_id: run.taskId, status: run.status };
			return { ...toRecord(run), output: [], log_detail_url: 'https://service.test/log' };
		},
	};

	private list(query: NonNullable<ServiceRequest['query']>): JsonObject {
		const from = Date.parse(String(query.created_at_from ?? '1970-01-01T00:00:00Z'));
		const to = Date.parse(String(query.created_at_to ?? '9999-01-01T00:00:00Z'));
		const { order, pageSize } = this.options;
		const shown = this.runs
			.filter(
				(run) =>
					run.visibleAt <= this.passed &&
					run.reportedAt >= from &&
					run.reportedAt <= to &&
					(query.status === undefined || run.status === query.status) &&
					(query.bot_id === undefined || run.botId === query.bot_id),
			)
			.sort((a, b) => {
				if (order === 'none') return a.place - b.place;
				return order === 'newest' ? b.createdAt - a.createdAt : a.createdAt - b.createdAt;
			});
		const page = Number(query.page ?? 1);
		return {
			items: shown.slice((page - 1) * pageSize, page * pageSize).map(toRecord),
			page,
			limit: pageSize,
			total_count: shown.length,
			total_pages: Math.ceil(shown.length / pageSize),
		};
	}
}

export function broken(): ConnectionError {
	return new ConnectionError('the connection broke', true);
}

function toRecord(run: ListedRun): JsonObject {
	return {
		task_id: run.taskId,
		bot_id: run.botId,
		bot_type: 'workflow',
		status: run.status,
		created_at: new Date(run.reportedAt).toISOString(),
		input: {},
	};
}
