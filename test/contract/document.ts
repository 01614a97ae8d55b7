import type { ICredentialType, IHttpRequestOptions } from 'n8n-workflow';

import { BrowserAutomationApi } from '../../credentials/BrowserAutomationApi.credentials';
import { BrowserAutomationSigningApi } from '../../credentials/BrowserAutomationSigningApi.credentials';
import {
	pathWithQuery,
	type ServiceRequest,
} from '../../nodes/BrowserAutomation/service/http/request';
import {
	loadDocument,
	type DocumentOperation,
	type ServiceDocument,
} from '../../dev/sandbox/document';
import { parseIfJson } from '../../dev/sandbox/json';
import type { NamedOperation } from './operations';

/** An answer of the service to a request. */
export interface JsonAnswer {
	method: string;
	url: string;
	status: number;
	/** As text, or in bytes. */
	body: unknown;
}

/** The OpenAPI document of the service, as a judge of requests and answers. */
export class Judge {
	/** The operationIds of all that the node is to offer. */
	readonly operationIds: readonly string[];

	private constructor(private readonly document: ServiceDocument) {
		this.operationIds = document.offered.map(({ operationId }) => String(operationId));
	}

	static async open(): Promise<Judge> {
		return new Judge(await loadDocument());
	}

	/** The operationIds of what starts runs: it is answered with a new run or task. */
	starts(): string[] {
		const { RunCreated, TaskCreated } = this.document.definition.components?.responses ?? {};
		return this.document.offered
			.filter(({ responses }) => [RunCreated, TaskCreated].includes(responses?.['200']))
			.map(({ operationId }) => String(operationId));
	}

	/** The operationId that a request reaches; undefined when the document has none for it. */
	reached(request: ServiceRequest): string | undefined {
		return this.find(request)?.operationId;
	}

	/** What the document finds wrong with a request, one line each. */
	async faultsOf(request: ServiceRequest, operation: NamedOperation): Promise<string[]> {
		const found = this.find(request);
		if (found === undefined) return [`no operation for ${request.method} ${request.path}`];
		const { pathname, searchParams } = new URL(`https://service.test${pathWithQuery(request)}`);
		const query: Record<string, string | string[]> = {};
		for (const name of new Set(searchParams.keys())) {
			const all = searchParams.getAll(name);
			query[name] = all.length === 1 ? String(all[0]) : all;
		}
		const body = request.body === undefined ? undefined : JSON.stringify(request.body);
		return this.document.checkRequest(found, {
			path: pathname,
			query,
			headers: await headersOf(request, body, operation),
			...(body !== undefined && { body }),
		});
	}

	/** What the document finds wrong with an answer of JSON, one line each. */
	faultsOfAnswer({ method, url, status, body }: JsonAnswer): string[] {
		const { operationId = '' } = this.find({ method, path: url }) ?? {};
		return this.document.checkResponse(operationId, status, parseIfJson(String(body)));
	}

	private find({ method, path }: { method: string; path: string }): DocumentOperation | undefined {
		const { pathname } = new URL(path, 'https://service.test');
		return this.document.operations
			.filter((operation) => operation.method.toUpperCase() === method)
			.filter((operation) => patternOf(operation.path).test(pathname))
			.sort((a, b) => placeholders(a.path) - placeholders(b.path))[0];
	}
}

function placeholders(template: string): number {
	return template.split('{').length;
}

function patternOf(template: string): RegExp {
	const pattern = template.replace('{path}', '.+').replace(/\{\w+\}/g, '[^/]+');
	return new RegExp(`^${pattern}$`);
}

/** The headers that go with a request: the client's own, and what the credential adds. */
async function headersOf(
	{ headers, method, path }: ServiceRequest,
	body: string | undefined,
	{ operation }: NamedOperation,
): Promise<Record<string, string>> {
	const own = { ...headers, ...(body !== undefined && { 'Content-Type': 'application/json' }) };
	const access = 'access' in operation ? (operation.access ?? 'apiKey') : 'apiKey';
	if (access === 'none') return lowerCased(own);
	const signed = await authenticated(
		access === 'apiKey' ? new BrowserAutomationApi() : new BrowserAutomationSigningApi(),
		{
			method: method === 'OPTIONS' ? 'GET' : method,
			url: `https://service.test${path}`,
			headers: own,
			...(body !== undefined && { body }),
		},
	);
	return lowerCased({ ...own, ...signed });
}

async function authenticated(
	{ authenticate }: ICredentialType,
	options: IHttpRequestOptions,
): Promise<object> {
	if (typeof authenticate !== 'function') throw new Error('The credential adds nothing.');
	const secrets = { apiKey: 'key', signingSecret: 'secret', signedText: '{timestamp}\\n{body}' };
	const { headers } = await authenticate(secrets, options);
	return headers ?? {};
}

function lowerCased(headers: object): Record<string, string> {
	return Object.fromEntries(
		Object.entries(headers).map(([name, value]) => [name.toLowerCase(), String(value)]),
	);
}
