import { randomBytes } from 'node:crypto';
import { fastify } from 'fastify';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Answer, Call, Operation } from './call';
import { localTime } from './clock';
import type { DocumentOperation, ServiceDocument } from './document';
import type { Fault } from './faults';
import { isObject, parseIfJson, withoutUndefined } from './json';
import type { ApiKey } from './keys';
import { allOperations } from './operations';
import { Refusal, refusals } from './refusal';
import type { RecordedRequest } from './recorder';
import { isRunStatus, isTerminal } from './runs';
import type { Service } from './service';

const LARGEST_BODY = 16 * 1024 * 1024;

/** Makes the HTTP side of the service: each operation of the document, checked and recorded. */
export function makeHttpServer(service: Service, document: ServiceDocument): FastifyInstance {
	const app = fastify({
		bodyLimit: LARGEST_BODY,
		exposeHeadRoutes: false,
		forceCloseConnections: true,
		routerOptions: { maxParamLength: 8192 },
		frameworkErrors: (error, _request, reply) => void sendRefusal(reply, asRefusal(error)),
	});
	app.removeAllContentTypeParsers();
	app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
	app.setErrorHandler((error, request, reply) => {
		if (isUnreadBody(error)) recordRequest(service, request, reply, undefined);
		return sendRefusal(reply, asRefusal(error));
	});
	app.setNotFoundHandler((request, reply) => {
		recordRequest(service, request, reply, undefined);
		return sendRefusal(reply, refusals.unknownPath());
	});

	const handlers = allOperations(service);
	for (const operation of document.operations) {
		const operationId = operation.operationId ?? '';
		const handler = handlers[operationId] ?? notWritten(operationId);
		app.route({
			method: operation.method.toUpperCase(),
			url: routeOf(operation.path),
			handler: answerer(service, document, operation, handler),
		});
	}
	return app;
}

/** What the document has and dev/sandbox/operations has not: the others work all the same. */
function notWritten(operationId: string): Operation {
	return () => {
		const what = `The sandbox does not know what ${operationId} does: write it in dev/sandbox/operations`;
		throw new Refusal(501, what, 500);
	};
}

/** `{bot_id}` becomes `:bot_id`; the forwarded path may hold slashes. */
function routeOf(path: string): string {
	return path.replace('{path}', '*').replace(/\{(\w+)\}/g, ':$1');
}

function answerer(
	service: Service,
	document: ServiceDocument,
	operation: DocumentOperation,
	handler: Operation,
): (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply> {
	const operationId = operation.operationId ?? '';
	const needsKey = operation.security?.length !== 0;

	return async (request, reply) => {
		const { method } = request;
		const key = service.keys.fromHeader(request.headers.authorization);
		const record = recordRequest(service, request, reply, operationId, key);
		const { path, query: queryString } = record;
		const { latencyMs, fault } = service.faults.take(key?.key ?? '', method, path);
		record.fault = fault?.kind;
		await service.faults.delay(latencyMs);
		if (fault && !actsAfter(fault)) return spoil(reply, fault, undefined);
		if (needsKey && !key) throw refusals.authorization();

		const rawBody = bytesOf(request.body);
		const query = recordOf(request.query);
		const faults = document.checkRequest(operation, {
			path,
			query,
			headers: withoutUndefined(request.headers),
			...(rawBody.length > 0 ? { body: rawBody.toString('utf8') } : {}),
		});
		if (faults.length > 0) throw refusals.parameter(faults.join('; '));
		const call: Call = {
			operationId,
			method,
			path: pathParameters(request.params),
			query: lastOfEach(query),
			queryString,
			headers: request.headers,
			body: record.body,
			rawBody,
			key: key ?? service.keys.anonymous,
		};
		const answer = await handler(call);
		return fault ? spoil(reply, fault, answer) : sendAnswer(reply, answer);
	};
}

const ACTING_AFTER: ReadonlyArray<Fault['kind']> = ['lagging', 'malformedJson', 'members'];

function actsAfter(fault: Fault): boolean {
	if (fault.kind === 'serverError' || fault.kind === 'cutConnection') return fault.after === true;
	return ACTING_AFTER.includes(fault.kind);
}

function sendAnswer(reply: FastifyReply, answer: Answer): FastifyReply {
	switch (answer.kind) {
		case 'empty':
			return reply.code(200).send();
		case 'bytes':
			return reply
				.code(answer.status)
				.headers(answer.headers ?? {})
				.header('content-type', answer.contentType)
				.send(answer.bytes);
		default:
			return sendJson(reply, 200, bodyOf(answer));
	}
}

function bodyOf(answer: Answer): unknown {
	if (answer.kind === 'json') return answer.value;
	return envelope(0, 'success', answer.kind === 'envelope' ? answer.data : null);
}

function sendJson(reply: FastifyReply, status: number, value: unknown): FastifyReply {
	return reply.code(status).header('content-type', 'application/json').send(JSON.stringify(value));
}

/** The response envelope (docs/service.md: Response envelope). */
function envelope(code: number, msg: string, data: unknown): object {
	const ts = Date.now();
	return { code, msg, data, ts, time: localTime(ts), traceId: randomBytes(16).toString('hex') };
}

function sendRefusal(reply: FastifyReply, refusal: Refusal): FastifyReply {
	return sendJson(reply, refusal.status, envelope(refusal.code, refusal.message, null));
}

/** Every failure becomes a refusal of the service; none shows the framework behind it. */
function asRefusal(error: unknown): Refusal {
	if (error instanceof Refusal) return error;
	const status = isObject(error) ? error['statusCode'] : undefined;
	const message = error instanceof Error ? error.message : String(error);
	if (typeof status === 'number' && status < 500) return refusals.parameter(message);
	return new Refusal(500, `internal error: ${message}`, 500);
}

/** Whether the body could not be read, so that no operation has seen the request. */
function isUnreadBody(error: unknown): boolean {
	return isObject(error) && String(error['code']).startsWith('FST_ERR_CTP');
}

function spoil(reply: FastifyReply, fault: Fault, answer: Answer | undefined): FastifyReply {
	switch (fault.kind) {
		case 'rateLimit':
			if (fault.retryAfter !== undefined) reply.header('retry-after', fault.retryAfter);
			return sendRefusal(reply, refusals.rateLimit());
		case 'serverError':
			return sendRefusal(reply, new Refusal(500, 'internal error', 500));
		case 'envelopeError':
			return sendJson(reply, 200, envelope(fault.code, fault.msg, null));
		case 'answer':
			return reply
				.code(fault.status)
				.header('content-type', fault.contentType ?? 'application/json')
				.headers(fault.headers ?? {})
				.send(fault.body ?? '');
		case 'malformedJson': {
			const text = JSON.stringify(answer ? bodyOf(answer) : {});
			return reply
				.code(200)
				.header('content-type', 'application/json')
				.send(text.slice(0, Math.max(1, Math.floor(text.length / 2))));
		}
		case 'members': {
			const body = answer ? bodyOf(answer) : {};
			return sendJson(reply, 200, isObject(body) ? { ...body, ...fault.members } : body);
		}
		case 'lagging':
			return sendJson(reply, 200, asBeforeItsEnd(answer ? bodyOf(answer) : {}));
		default:
			reply.hijack();
			reply.raw.destroy();
			return reply;
	}
}

const AT_THE_END = ['output_files', 'download_files', 'finished_at'];

/** A run as it was while it went on. */
function asBeforeItsEnd(body: unknown): unknown {
	if (!isObject(body) || !isRunStatus(body['status']) || !isTerminal(body['status'])) return body;
	const others = Object.entries(body).filter(([name]) => !AT_THE_END.includes(name));
	return { ...Object.fromEntries(others), status: 'running', output: null };
}

function recordRequest(
	service: Service,
	request: FastifyRequest,
	reply: FastifyReply,
	operation: string | undefined,
	key?: ApiKey,
): RecordedRequest {
	const body = parseBody(bytesOf(request.body));
	return service.recorder.record(request, reply, { key: key?.key, operation, body });
}

function bytesOf(body: unknown): Buffer {
	return Buffer.isBuffer(body) ? body : Buffer.alloc(0);
}

function parseBody(rawBody: Buffer): unknown {
	const text = rawBody.toString('utf8');
	return text === '' ? undefined : (parseIfJson(text) ?? text);
}

function recordOf(query: unknown): Record<string, string | string[]> {
	const entries: Array<[string, string | string[]]> = [];
	for (const [name, value] of isObject(query) ? Object.entries(query) : []) {
		if (typeof value === 'string') entries.push([name, value]);
		else if (Array.isArray(value)) entries.push([name, value.map(String)]);
	}
	return Object.fromEntries(entries);
}

function lastOfEach(query: Record<string, string | string[]>): Record<string, string> {
	return Object.fromEntries(
		Object.entries(query).map(([name, value]) => [name, [value].flat().at(-1) ?? '']),
	);
}

function pathParameters(params: unknown): Record<string, string> {
	return Object.fromEntries(
		Object.entries(isObject(params) ? params : {}).map(([name, value]) => [
			name === '*' ? 'path' : name,
			String(value),
		]),
	);
}
