import { Readable } from 'node:stream';
import { fastify } from 'fastify';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import parseRange from 'range-parser';
import type { Fault } from './faults';
import { CONTENT_TYPES, isFileFormat } from './fileFormats';
import { withoutUndefined } from './json';
import { readPattern } from './patternFile';
import type { Run } from './runs';
import type { Service } from './service';

/** A file of a run that can be read from any byte on. */
interface StoredFile {
	readonly size: number;
	readonly contentType: string;
	/** @param end last byte, included */
	readonly read: (start: number, end: number) => Readable;
}

/**
 * Serves the files of runs on an origin of its own, by signed links that expire. No API key is
 * needed; whether one was sent all the same is recorded.
 */
export function makeFileServer(service: Service): FastifyInstance {
	const app = fastify({ exposeHeadRoutes: false, forceCloseConnections: true });
	app.route<{ Params: FileParams; Querystring: LinkQuery }>({
		method: ['GET', 'HEAD'],
		url: '/files/:taskId/:fileName',
		handler: (request, reply) => sendFile(service, request, reply),
	});
	app.setNotFoundHandler((_request, reply) => refuse(reply, 404, 'NoSuchKey'));
	app.setErrorHandler((_error, _request, reply) => refuse(reply, 400, 'InvalidRequest'));
	return app;
}

interface FileParams {
	readonly taskId: string;
	readonly fileName: string;
}

interface LinkQuery {
	readonly expires?: string;
	readonly signature?: string;
}

async function sendFile(
	service: Service,
	request: FastifyRequest<{ Params: FileParams; Querystring: LinkQuery }>,
	reply: FastifyReply,
): Promise<FastifyReply> {
	const { taskId, fileName } = request.params;
	const { expires = '', signature = '' } = request.query;
	const run = service.runs.find(taskId);
	const known = { key: run?.key, operation: 'file', body: undefined };
	const kept = service.recorder.record(request, reply, known);
	const { latencyMs, fault } = service.faults.take(run?.key ?? '', request.method, kept.path);
	kept.fault = fault?.kind;
	await service.faults.delay(latencyMs);
	if (fault && fault.kind !== 'cutConnection') return sendFault(reply, fault);
	if (!service.links.accepts(taskId, fileName, expires, signature)) {
		return refuse(reply, 403, 'AccessDenied');
	}
	const file = run && findFile(service, run, fileName);
	if (!file) return refuse(reply, 404, 'NoSuchKey');

	const etag = `"${taskId}-${fileName}-${file.size}"`;
	reply.header('etag', etag).header('accept-ranges', 'bytes');
	const range = wantedRange(request, etag, file.size);
	if (range === 'unsatisfiable') {
		reply.header('content-range', `bytes */${file.size}`);
		return refuse(reply, 416, 'InvalidRange');
	}
	const { start, end } = range ?? { start: 0, end: file.size - 1 };
	if (range) reply.code(206).header('content-range', `bytes ${start}-${end}/${file.size}`);
	reply
		.header('content-type', file.contentType)
		.header('content-length', end - start + 1)
		.header('content-disposition', `attachment; filename="${fileName}"`);
	if (request.method === 'HEAD') return reply.send();
	if (fault) return cut(reply, file, start, fault.afterBytes ?? 0);
	return reply.send(file.read(start, end));
}

function findFile(service: Service, run: Run, fileName: string): StoredFile | undefined {
	if (run.status !== 'finished') return undefined;
	if (fileName === run.automation.archiveName) {
		return {
			size: service.archiveSize,
			contentType: 'application/octet-stream',
			read: readPattern,
		};
	}
	const format = /^result\.(\w+)$/.exec(fileName)?.[1] ?? '';
	const bytes = isFileFormat(format) ? service.results.of(run).files.get(format) : undefined;
	if (!bytes || !isFileFormat(format)) return undefined;
	return {
		size: bytes.length,
		contentType: CONTENT_TYPES[format],
		read: (start, end) => Readable.from([bytes.subarray(start, end + 1)], { objectMode: false }),
	};
}

function wantedRange(
	request: FastifyRequest,
	etag: string,
	size: number,
): { start: number; end: number } | 'unsatisfiable' | undefined {
	const header = request.headers.range;
	const condition = request.headers['if-range'];
	if (header === undefined || (condition !== undefined && condition !== etag)) return undefined;
	const ranges = parseRange(size, header);
	if (ranges === -1) return 'unsatisfiable';
	return ranges === -2 || ranges.length !== 1 ? undefined : ranges[0];
}

/** Sends the head and so many bytes, then cuts the connection. */
async function cut(
	reply: FastifyReply,
	file: StoredFile,
	start: number,
	bytes: number,
): Promise<FastifyReply> {
	reply.hijack();
	const { raw } = reply;
	if (bytes > 0) {
		raw.writeHead(reply.statusCode, withoutUndefined(reply.getHeaders()));
		for await (const chunk of file.read(start, start + bytes - 1)) {
			await new Promise<void>((resolve) => raw.write(chunk, () => resolve()));
		}
	}
	raw.destroy();
	return reply;
}

function sendFault(reply: FastifyReply, fault: Fault): FastifyReply {
	if (fault.kind === 'rateLimit') {
		if (fault.retryAfter !== undefined) reply.header('retry-after', fault.retryAfter);
		return refuse(reply, 429, 'SlowDown');
	}
	if (fault.kind !== 'answer') return refuse(reply, 500, 'InternalError');
	return reply
		.code(fault.status)
		.header('content-type', fault.contentType ?? 'application/octet-stream')
		.headers(fault.headers ?? {})
		.send(fault.body ?? '');
}

/** File stores answer errors in XML, not in the envelope of the service. */
function refuse(reply: FastifyReply, status: number, code: string): FastifyReply {
	return reply
		.code(status)
		.header('content-type', 'application/xml')
		.send(`<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>${code}</Code></Error>`);
}
