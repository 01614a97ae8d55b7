import type { IncomingHttpHeaders } from 'node:http';
import type { ApiKey } from './keys';

/** A request that has passed authentication and the check against the OpenAPI document. */
export interface Call {
	readonly operationId: string;
	readonly method: string;
	/** Path parameters, decoded; int64 IDs stay text. */
	readonly path: Readonly<Record<string, string>>;
	/** Query parameters; a repeated one has been refused unless the operation passes any query on. */
	readonly query: Readonly<Record<string, string>>;
	/** The query string as sent, without its question mark. */
	readonly queryString: string;
	readonly headers: IncomingHttpHeaders;
	readonly body: unknown;
	readonly rawBody: Buffer;
	readonly key: ApiKey;
}

/** What an operation answers with; the server turns it into bytes. */
export type Answer =
	| { readonly kind: 'json'; readonly value: unknown }
	| { readonly kind: 'envelope'; readonly data: unknown }
	| { readonly kind: 'empty' }
	| {
			readonly kind: 'bytes';
			readonly status: number;
			readonly contentType: string;
			readonly bytes: Buffer;
			readonly headers?: Readonly<Record<string, string>>;
	  };

export type Operation = (call: Call) => Answer | Promise<Answer>;

/** Operations by their operationId in the OpenAPI document. */
export type Operations = Readonly<Record<string, Operation>>;

/** The resource itself, without the envelope. */
export function json(value: unknown): Answer {
	return { kind: 'json', value };
}

/** `ResponseData<X>`; without an argument `ResponseDataVoid`. */
export function enveloped(data: unknown = null): Answer {
	return { kind: 'envelope', data };
}

/** HTTP 200 with no body. */
export function empty(): Answer {
	return { kind: 'empty' };
}
