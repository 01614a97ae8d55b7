import { setTimeout as sleep } from 'node:timers/promises';

import { isObject, parseIfJson, type JsonObject } from '../../dev/sandbox/json';
import type { Assumption } from './assumptions';
import type { Report } from './report';
import { typeName, type Shapes } from './shapes';

/** Where the service is, and the key of the account. */
export interface Account {
	url: string;
	key: string;
}

/** What is asked: values of the path and the query, and the body. */
export interface Question {
	path?: Record<string, string>;
	query?: Record<string, string | number>;
	body?: JsonObject;
	/** Instead of the account's; null sends none. */
	key?: string | null;
}

export interface Answer {
	status: number;
	headers: Headers;
	/** Undefined when it is no JSON. */
	body: unknown;
}

/** How often a read is asked again after 429, and for how long one waits for it at most, in milliseconds. */
const PATIENCE = { times: 3, ms: 60_000 };

/** How long an answer may take, in milliseconds. */
const ANSWER_LIMIT = 60_000;

const SUCCESSES = [200];
const REFUSALS = [400];

/** The service that is checked. Each answer is judged against the document. */
export class Service {
	private requests = 0;

	private slowest = 0;

	private readonly offsets: number[] = [];

	constructor(
		private readonly account: Account,
		readonly shapes: Shapes,
		readonly report: Report,
	) {}

	/** How reports name an operation, e.g. `GET /v3/bots`. */
	nameOf(operationId: string): string {
		const { method, path } = this.shapes.operation(operationId);
		return `\`${method.toUpperCase()} ${path}\``;
	}

	/**
	 * Reads something that is to be there.
	 *
	 * @returns the answer's body; undefined, and a difference in the report, when there is none
	 */
	async read(
		operationId: string,
		assumption: Assumption,
		question: Question = {},
	): Promise<unknown> {
		const answer = await this.askPatiently(operationId, question);
		return this.expect(operationId, assumption, answer, SUCCESSES) ? answer.body : undefined;
	}

	/** Starts something. It is asked once, whatever comes of it. */
	async start(operationId: string, assumption: Assumption, question: Question): Promise<unknown> {
		const answer = await this.send(operationId, question);
		return this.expect(operationId, assumption, answer, SUCCESSES) ? answer.body : undefined;
	}

	/**
	 * Reads something that is to be refused.
	 *
	 * @param codes the codes that are expected; any when there are none
	 */
	async refused(
		what: string,
		operationId: string,
		codes: number[],
		question: Question,
	): Promise<void> {
		const answer = await this.askPatiently(operationId, question);
		if (!this.expect(operationId, 'refusals', answer, REFUSALS, what)) return;
		const code = isObject(answer.body) ? answer.body['code'] : undefined;
		this.report.see('Codes', `${what} ${String(code)}`);
		if (codes.length > 0 && !codes.some((expected) => expected === code)) {
			const text = `of ${what} has code ${String(code)}, not ${codes.join(' or ')}`;
			this.report.differ(this.nameOf(operationId), text, 'codes');
		}
	}

	/** Tells how the requests went, once all are done. */
	reportExchange(): void {
		const { report, requests, slowest, offsets } = this;
		report.see('Requests', `${requests}, the slowest ${(slowest / 1_000).toFixed(1)} s`);
		const middle = [...offsets].sort((one, other) => one - other)[offsets.length >> 1];
		const clock =
			middle === undefined ? 'no `Date` header' : `${middle.toFixed(0)} s ahead of this machine's`;
		report.see('Clock of the service', clock);
		if (report.about('Rate limits').length === 0) report.see('Rate limits', 'none met');
	}

	private expect(
		operationId: string,
		assumption: Assumption,
		{ status, headers, body }: Answer,
		statuses: number[],
		what = '',
	): boolean {
		const { report } = this;
		const name = this.nameOf(operationId);
		const subject = what === '' ? '' : `of ${what} `;
		if (!statuses.includes(status)) {
			const { code, traceId } = isObject(body) ? body : {};
			const said = code === undefined ? '' : ` (code ${String(code)}, trace ID ${String(traceId)})`;
			report.differ(name, `${subject}answers with status ${status}${said}`, assumption);
			return false;
		}
		const type = headers.get('content-type')?.split(';')[0] ?? 'no content type';
		if (body !== undefined) report.see('Content types', type);
		for (const deviation of this.shapes.judge(operationId, status, body)) {
			const place = deviation.place === '' ? 'the answer' : `\`${deviation.place}\``;
			report.differ(name, `${subject}${place} ${deviation.what}`, assumption);
		}
		if (isObject(body) && 'traceId' in body && status === 200) {
			report.see('Codes', `success in an envelope ${String(body['code'])}`);
		}
		return true;
	}

	private async askPatiently(operationId: string, question: Question): Promise<Answer> {
		const { method } = this.shapes.operation(operationId);
		if (method !== 'get') throw new Error(`${operationId} is no read.`);
		for (let attempt = 1; ; attempt++) {
			const answer = await this.send(operationId, question);
			if (answer.status !== 429 || attempt > PATIENCE.times) return answer;
			const asked = answer.headers.get('retry-after');
			this.report.see('Rate limits', `429 after ${this.requests} requests, Retry-After ${asked}`);
			const seconds = Number(asked);
			await sleep(Math.min(PATIENCE.ms, seconds > 0 ? seconds * 1_000 : attempt * 1_000));
		}
	}

	private async send(operationId: string, question: Question): Promise<Answer> {
		const { url, key: ownKey } = this.account;
		const { method, path } = this.shapes.operation(operationId);
		const { path: values = {}, query = {}, body, key = ownKey } = question;
		const filled = path.replace(/\{(\w+)\}/g, (_, name: string) =>
			encodeURIComponent(values[name] ?? ''),
		);
		const address = new URL(`${url}${filled}`);
		for (const [name, value] of Object.entries(query)) address.searchParams.set(name, `${value}`);
		const begun = Date.now();
		const response = await fetch(address, {
			method: method.toUpperCase(),
			headers: {
				...(key === null ? {} : { authorization: `Bearer ${key}` }),
				...(body === undefined ? {} : { 'content-type': 'application/json' }),
			},
			...(body === undefined ? {} : { body: JSON.stringify(body) }),
			redirect: 'manual',
			signal: AbortSignal.timeout(ANSWER_LIMIT),
		});
		const text = await response.text();
		this.note(response, Date.now() - begun);
		return { status: response.status, headers: response.headers, body: parseIfJson(text) };
	}

	private note({ headers }: Response, ms: number): void {
		this.requests += 1;
		this.slowest = Math.max(this.slowest, ms);
		const date = Date.parse(headers.get('date') ?? '');
		if (!Number.isNaN(date)) this.offsets.push((date - Date.now()) / 1_000);
		for (const name of headers.keys()) {
			if (/rate-?limit|quota/.test(name)) this.report.see('Rate limits', `header ${name}`);
		}
	}
}

/** The fields of an object whose shape nobody has published: names and types. */
export function fieldsOf(value: unknown): string {
	if (!isObject(value)) return typeName(value);
	return Object.entries(value)
		.map(([name, field]) => `${name} (${typeName(field)})`)
		.sort()
		.join(' ');
}
