/** Where the service's address is entered. */
export const BASE_URL = "the 'Base URL' of the credential or, without one, of the node";

const CHECK_BASE_URL = `Check that ${BASE_URL}, is the service’s API, then try again.`;

/** What an error is about, for programs: plain JSON. */
export type ErrorFacts = Record<string, string | number | string[]>;

/** The facts of a failed request to the service, for programs and for people. */
export interface ServiceErrorFacts {
	/** The envelope's business code (docs/service.md: Errors). */
	code?: number | undefined;
	/** The envelope's message, word for word. */
	msg?: string | undefined;
	/** The envelope's trace identifier, which the service's support asks for. */
	traceId?: string | undefined;
	httpStatus?: number | undefined;
	/** How long the service asked to be left alone, in milliseconds (Retry-After). */
	retryAfterMs?: number | undefined;
	/** Set where the same request would bring the same. */
	isLasting?: boolean;
}

/** An error that a person can act on: `message` says what happened, `advice` what to do. */
export class HelpfulError extends Error {
	constructor(
		message: string,
		readonly advice: string,
		/** The address of a page that the advice names, e.g. that of a run's log. */
		readonly page?: string,
		/** What the error is about, for programs, e.g. `{ task_id, file }`. */
		readonly about: ErrorFacts = {},
	) {
		super(message);
		this.name = new.target.name;
	}
}

/** The user gave something that the service would refuse. Thrown before any request is made. */
export class InputError extends HelpfulError {}

/** The execution was stopped by its user or by a time limit of n8n. */
export class CanceledError extends HelpfulError {
	constructor() {
		super('The execution was stopped', 'Start the workflow again when you are ready.');
	}
}

/** The service could not be reached, or the connection broke before the answer was complete. */
export class ConnectionError extends HelpfulError {
	/**
	 * @param reason the end of a sentence
	 * @param mayHaveArrived whether the service may have received the request all the same
	 */
	constructor(
		reason: string,
		readonly mayHaveArrived: boolean,
		advice = `Check ${BASE_URL}, and whether this n8n can reach the internet.`,
	) {
		super(`The service could not be reached: ${reason}`, advice);
	}
}

/** The service answered with a refusal or a fault. An answer without advice of its own hardly came from the service. */
export class ServiceError extends HelpfulError {
	constructor(
		message: string,
		advice = CHECK_BASE_URL,
		readonly facts: ServiceErrorFacts = {},
	) {
		super(message, advice);
	}
}

/** What an error says, or whatever else was thrown. */
export function messageOf(error: unknown): string {
	return error instanceof Error ? error.message : String(error);
}

/** Whether an error is the service's refusal with this business code. */
export function hasCode(error: unknown, code: number): error is ServiceError {
	return error instanceof ServiceError && error.facts.code === code;
}

/** What of an error is kept beside its message: what it is about, and the service's code, words and trace ID. */
export function errorFacts(error: unknown): ErrorFacts {
	if (!(error instanceof HelpfulError)) return {};
	const { code, msg, traceId, httpStatus } = error instanceof ServiceError ? error.facts : {};
	const known = Object.entries({ code, msg, traceId, http_status: httpStatus });
	const present = known.flatMap(([name, fact]) =>
		fact === undefined ? [] : [[name, fact] as const],
	);
	return { ...error.about, ...Object.fromEntries(present) };
}
