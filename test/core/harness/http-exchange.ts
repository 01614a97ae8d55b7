import { EventEmitter } from 'node:events';
import { parse as parseForm } from 'node:querystring';
import { jsonParse, type IDataObject, type IHttpRequestMethods } from 'n8n-workflow';

/** A request as somebody out there sends it. */
export interface OutsideRequest {
	method?: IHttpRequestMethods;
	/** Added to the query of the URL; a value replaces one of the same name. */
	query?: Record<string, string>;
	headers?: Record<string, string>;
	/**
	 * An object is sent as JSON. Text and bytes are sent as they are, with the content type of
	 * `headers` or else `application/json`.
	 */
	body?: object | string | Buffer;
}

export interface WebhookResponse {
	status: number;
	/** Parsed when it is JSON. */
	body: unknown;
	headers: Record<string, string>;
}

/** An error that n8n answers with its own status code. */
export class HttpError extends Error {
	constructor(
		readonly status: number,
		message: string,
	) {
		super(message);
	}
}

const PARSABLE = ['application/json', 'text/plain', 'application/x-www-form-urlencoded'];

/** The part of express's request that n8n and its nodes read. */
export class IncomingRequest {
	readonly method: IHttpRequestMethods;
	readonly path: string;
	readonly headers: Record<string, string>;
	readonly query: IDataObject;
	readonly contentType: string | undefined;
	body: unknown = undefined;
	rawBody: Buffer | undefined = undefined;
	private readonly sent: Buffer;

	constructor(url: string, request: OutsideRequest) {
		const { pathname, searchParams, host } = new URL(url);
		for (const [name, value] of Object.entries(request.query ?? {})) searchParams.set(name, value);
		this.path = pathname;
		this.method = request.method ?? 'POST';
		this.query = Object.fromEntries(searchParams);
		this.sent = toBytes(request.body);
		this.headers = { host };
		if (this.sent.length > 0) {
			this.headers['content-type'] = 'application/json';
			this.headers['content-length'] = String(this.sent.length);
		}
		for (const [name, value] of Object.entries(request.headers ?? {})) {
			this.headers[name.toLowerCase()] = value;
		}
		this.contentType = this.headers['content-type']?.split(';')[0]?.trim().toLowerCase();
	}

	async readRawBody(): Promise<void> {
		this.rawBody = this.sent;
	}

	/** The server's `parseRequestBody`: nodes of version 1 get every body, later ones only known kinds. */
	async parseBody(nodeVersion: number): Promise<void> {
		const type = this.contentType;
		if (type?.startsWith('multipart/')) throw new Error('The harness does not simulate form data.');
		if (nodeVersion > 1 && !PARSABLE.includes(type ?? '')) return;
		await this.readRawBody();
		if (!this.rawBody?.length) return;
		const text = this.rawBody.toString();
		try {
			if (type === 'application/json') this.body = jsonParse(text);
			else if (type === 'application/x-www-form-urlencoded') this.body = parseForm(text);
			else if (type === 'text/plain') this.body = text;
		} catch {
			throw new HttpError(422, 'Failed to parse request body');
		}
	}
}

/** The part of express's response that n8n and its nodes write. */
export class CapturedResponse extends EventEmitter {
	statusCode = 200;
	headersSent = false;
	private readonly headers: Record<string, string> = {};
	private readonly chunks: string[] = [];

	status(code: number): this {
		this.statusCode = code;
		return this;
	}

	setHeader(name: string, value: string | number): this {
		this.headers[name.toLowerCase()] = String(value);
		return this;
	}

	writeHead(code: number, headers: Record<string, string | number> = {}): this {
		for (const [name, value] of Object.entries(headers)) this.setHeader(name, value);
		this.headersSent = true;
		return this.status(code);
	}

	json(body: unknown): this {
		this.setHeader('content-type', 'application/json; charset=utf-8');
		return this.end(JSON.stringify(body) ?? '');
	}

	send(body?: unknown): this {
		if (typeof body === 'string' || Buffer.isBuffer(body)) return this.end(body);
		return this.json(body);
	}

	end(chunk?: string | Buffer): this {
		if (this.headersSent && this.writableEnded) throw new Error('Cannot write after the response');
		if (chunk !== undefined) this.chunks.push(chunk.toString());
		this.headersSent = true;
		this.writableEnded = true;
		process.nextTick(() => {
			this.emit('finish');
			this.emit('close');
		});
		return this;
	}

	writableEnded = false;

	read(): WebhookResponse {
		const text = this.chunks.join('');
		const isJson = this.headers['content-type']?.startsWith('application/json') === true;
		const body: unknown = isJson && text !== '' ? JSON.parse(text) : text;
		return { status: this.statusCode, body, headers: this.headers };
	}
}

function toBytes(body: OutsideRequest['body']): Buffer {
	if (body === undefined) return Buffer.alloc(0);
	if (Buffer.isBuffer(body)) return body;
	return Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
}
