import { join } from 'node:path';
import Ajv2020 from 'ajv/dist/2020';
import addFormats from 'ajv-formats';
import type { ErrorObject } from 'ajv';
import { OpenAPIBackend } from 'openapi-backend';
import type { AjvCustomizer, Document, Operation } from 'openapi-backend';

export const DOCUMENT_PATH = join(__dirname, 'openapi.yaml');

/** An operation of the document with its references resolved. */
export type DocumentOperation = Operation<Document>;

/** What is checked of a request: the body as text, the path below the base URL. */
interface CheckedRequest {
	readonly path: string;
	readonly query: Record<string, string | string[]>;
	readonly headers: Record<string, string | string[]>;
	readonly body?: string;
}

/** The OpenAPI document and the checks made from it. */
export interface ServiceDocument {
	/** The document with its references resolved. */
	readonly definition: Document;
	readonly operations: readonly DocumentOperation[];
	/** Those that the node offers: all but others at a further address (`x-same-as`). */
	readonly offered: readonly DocumentOperation[];
	/** Faults of a request, one line each; empty when it is well formed. */
	checkRequest(operation: DocumentOperation, request: CheckedRequest): string[];
	/** Faults of a JSON response, one line each; a status the document does not name is a fault. */
	checkResponse(operationId: string, status: number, body: unknown): string[];
}

/** Paths that hold several segments in one parameter are checked as one encoded segment. */
function foldSegments(template: string, path: string): string {
	const start = template.indexOf('{path}');
	return start < 0 ? path : template.slice(0, start) + encodeURIComponent(path.slice(start));
}

let loaded: Promise<ServiceDocument> | undefined;

/** The document, with a validator for each of its requests; made once in a process. */
export async function loadDocument(): Promise<ServiceDocument> {
	loaded ??= compileDocument();
	return await loaded;
}

async function compileDocument(): Promise<ServiceDocument> {
	// `quick` skips the library's check against OpenAPI 3.0, the tests check against 3.1; and it leaves a validator to be
	// compiled when it is needed.
	const backend = new OpenAPIBackend({
		definition: DOCUMENT_PATH,
		quick: true,
		customizeAjv: sharedValidators(),
	});
	await backend.init();
	const { validator } = backend;
	const operations = backend.router.getOperations();

	return {
		definition: backend.definition,
		operations,
		offered: operations.filter((operation) => !('x-same-as' in operation)),
		checkRequest(operation, request) {
			const path = foldSegments(operation.path, request.path);
			const result = validator.validateRequest(
				{ ...request, path, method: operation.method },
				operation,
			);
			return [...checkContentType(operation, request), ...(result.errors ?? []).map(describeFault)];
		},
		checkResponse(operationId, status, body) {
			const operation = operations.find((candidate) => candidate.operationId === operationId);
			if (operation?.responses?.[String(status)] === undefined) {
				return [`status ${status} is not in the document`];
			}
			return (validator.validateResponse(body, operationId, status).errors ?? []).map(
				describeFault,
			);
		},
	};
}

/** One validator instance for each purpose instead of the library's one for each operation. */
function sharedValidators(): AjvCustomizer {
	const made = new Map<string, Ajv2020>();
	return (_original, options, purpose) => {
		const existing = made.get(purpose);
		if (existing) return existing;
		const ajv = new Ajv2020({
			...options,
			validateSchema: false,
			// The optimizer takes twice as long as it saves: starting quickly matters more here.
			code: { optimize: false },
		});
		addFormats(ajv, { mode: 'full' });
		made.set(purpose, ajv);
		return ajv;
	};
}

function checkContentType(operation: DocumentOperation, request: CheckedRequest): string[] {
	const type = String(request.headers['content-type'] ?? '').split(';')[0];
	const wanted = operation.requestBody !== undefined && request.body !== undefined;
	return wanted && type?.trim().toLowerCase() !== 'application/json'
		? ['content-type must be application/json']
		: [];
}

function describeFault(fault: ErrorObject): string {
	if (fault.params['missingProperty'] === 'requestBody') return 'a body is required';
	const place = fault.instancePath
		.replace(/^\//, '')
		.replace('requestBody', 'body')
		.replaceAll('/', '.');
	const extra: unknown = fault.params['additionalProperty'];
	const name = typeof extra === 'string' ? ` (${extra})` : '';
	return `${place === '' ? 'request' : place} ${fault.message ?? fault.keyword}${name}`;
}
