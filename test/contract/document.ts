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

/** The headers that a node adds, as far as the document names them. */
const SIGNED_IN = {
	'content-type': 'application/json',
	'x-cli-timestamp': '1',
	'x-cli-signature': 'signature',
};

export interface JsonAnswer {
	method: string;
	url: string;
	status: number;
	/** As text, or in bytes. */
	body: unknown;
}

/** The OpenAPI document of the service, as a judge of requests and answers. */
export class Judge {
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
	faultsOf(request: ServiceRequest): string[] {
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
			headers: SIGNED_IN,
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
