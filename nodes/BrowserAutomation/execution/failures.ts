import {
	NodeApiError,
	NodeOperationError,
	type IExecuteFunctions,
	type INode,
	type INodeExecutionData,
} from 'n8n-workflow';

import {
	CanceledError,
	errorFacts,
	hasCode,
	HelpfulError,
	messageOf,
	ServiceError,
} from '../service/errors';
import { isJsonObject, textAt, type JsonObject } from '../service/json/json';
import { html } from './markup';
import { BOT_NOT_FOUND, RUN_NOT_FOUND } from '../service/http/errorCodes';
import { redact, redactJson } from '../service/http/redaction';
import { isKeyRefusal } from '../service/http/retry';
import { shorten } from '../service/text';
import { cancelSignalOf } from '../transport/cancellation';
import { API_CREDENTIAL } from '../transport/credentials';
import { secretsOf } from '../transport/secrets';

/** The longest text that is shown, in characters. The service or a bot may send more. */
const MAX_TEXT_LENGTH = 4_000;

/** An error as n8n's own nodes throw it. */
type NodeError = NodeApiError | NodeOperationError;

/** What to add to the error's own words. */
interface Further {
	/** How many items the node has. With several, advice to send fewer at a time may help a busy service. */
	items?: number;
	/** Follows the error's own advice. */
	advice?: string;
	/** Is added to the error's details. The advice names a `task_id` that the message does not. */
	data?: JsonObject;
}

/** An error's message, advice (may be empty) and details, without the node's secrets. */
function describe(node: INode, error: unknown, { items = 1, advice, data = {} }: Further) {
	const secrets = secretsOf(node);
	const credential = node.credentials?.[API_CREDENTIAL]?.name;
	const said = shorten(messageOf(error), MAX_TEXT_LENGTH);
	const isNamed = isKeyRefusal(error) && credential !== undefined;
	const message = isNamed
		? said.replace('the API key', (key) => `${key} of '${credential}'`)
		: said;
	const ofN8n = isOfN8n(error) ? error.description : undefined;
	const own = error instanceof HelpfulError ? error.advice : (ofN8n ?? '');
	const isBusy = error instanceof ServiceError && error.facts.httpStatus === 429;
	const among =
		isBusy && items > 1 ? "Lower 'Requests at a Time' in the credential if it stays." : '';
	const isElsewhere = hasCode(error, BOT_NOT_FOUND) || hasCode(error, RUN_NOT_FOUND);
	const account = isElsewhere && credential ? `The credential is "${credential}".` : '';
	const taskId = textAt(data, 'task_id');
	const run = taskId === undefined || message.includes(taskId) ? '' : `Its run: ${taskId}.`;
	return {
		message: redact(message, secrets),
		description: redact(
			sentences(account, shorten(own, MAX_TEXT_LENGTH), among, advice, run),
			secrets,
		),
		details: redactJson({ ...data, ...errorFacts(error) }, secrets),
	};
}

/**
 * Makes an error for n8n: message, advice, and as details the service's code, message and trace ID. It has none of the node's
 * secrets. An error of n8n's own is returned without them, and says what is to be added, too.
 */
export function toNodeError(
	node: INode,
	error: unknown,
	itemIndex: number,
	further: Further = {},
): NodeError {
	if (isOfN8n(error)) {
		// One that was made here says it already.
		if (error.context.data === undefined && further.data !== undefined) {
			error.description = sentences(error.description ?? '', further.advice);
			error.context.data = further.data;
		}
		return withoutSecrets(error, secretsOf(node));
	}
	const { message, description, details } = describe(node, error, further);
	// n8n takes an error with the word "canceled" for a stop by the user, and stores no failure.
	const title = message.replaceAll('canceled', 'cancelled');
	const options = { message: title, description, itemIndex };
	const nodeError =
		error instanceof ServiceError
			? new NodeApiError(node, {}, { ...options, httpCode: String(error.facts.httpStatus ?? '') })
			: new NodeOperationError(node, title, options);
	// n8n puts a sentence of its own in the place of a title that holds ENOTFOUND, ETIMEDOUT or the like.
	nodeError.message = title;
	nodeError.messages = [];
	nodeError.context.data = details;
	if (error instanceof HelpfulError) {
		const shown = withLink(description, error.page);
		if (shown !== undefined) nodeError.context.descriptionTemplate = shown;
	} else if (error instanceof Error && error.stack !== undefined) {
		nodeError.stack = redact(error.stack, secretsOf(node));
	}
	return nodeError;
}

/**
 * Does some work for the editor. Throws its errors as `toNodeError` makes them, without the HTTP status: the editor would write it
 * before the message, which names the service's own code (2.41: the list of a resource locator).
 */
export async function asNodeError<T>(
	context: Pick<IExecuteFunctions, 'getNode'>,
	work: () => Promise<T>,
): Promise<T> {
	try {
		return await work();
	} catch (error) {
		const nodeError = toNodeError(context.getNode(), error, 0);
		throw nodeError instanceof NodeApiError
			? Object.assign(nodeError, { httpCode: null })
			: nodeError;
	}
}

function isOfN8n(error: unknown): error is NodeError {
	return error instanceof NodeApiError || error instanceof NodeOperationError;
}

/**
 * A description for the editor, as HTML with a link to the page. Logs and outputs keep the plain one.
 * Undefined for an address with a backtick: the editor shows what stands between two of them as code.
 */
function withLink(description: string, page = ''): string | undefined {
	if (!/^https?:\/\/[^`]*$/i.test(page)) return undefined;
	const [before, ...after] = description.split(page);
	if (after.length === 0) return undefined;
	const link = html`<a href="${page}" target="_blank">${page}</a>`;
	return html`${before}${link}${after.join(page)}`.text;
}

/** Removes secrets from an error of n8n's own, and its cause, which may hold whole requests. */
function withoutSecrets(nodeError: NodeError, secrets: readonly string[]): NodeError {
	if (secrets.length === 0) return nodeError;
	const hide = (text: string): string => redact(text, secrets);
	const { description, stack, context } = nodeError;
	nodeError.message = hide(nodeError.message);
	nodeError.messages = nodeError.messages.map(hide);
	if (typeof description === 'string') nodeError.description = hide(description);
	if (stack !== undefined) nodeError.stack = hide(stack);
	if (isJsonObject(context.data)) context.data = redactJson(context.data, secrets);
	for (const origin of ['cause', 'errorResponse']) {
		Object.defineProperty(nodeError, origin, { value: undefined });
	}
	return nodeError;
}

/** Joins texts with spaces. Leaves out those that are empty or undefined. */
export function sentences(...texts: Array<string | undefined>): string {
	return texts.filter((text) => text !== undefined && text !== '').join(' ');
}

/** An error's message as one line without the node's secrets, for a log, a page, or beside a result. Control characters become spaces. */
export function failureText(node: INode, error: unknown): string {
	const text = redact(shorten(messageOf(error), MAX_TEXT_LENGTH), secretsOf(node));
	return text.replace(UNPRINTABLE, ' ');
}

/** Control characters, ends of lines and paragraphs, and marks that change the direction of writing. */
const UNPRINTABLE = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]+/gu;

/**
 * Makes an item for a failure: `error` (what happened), `message` (what to do) and `details`. n8n sends an item with these keys
 * to the error output, and adds the fields of the input item. Older n8n sends only items without `details`: there the message
 * names the trace ID.
 *
 * @param data what failed, e.g. `{ task_id, status }`
 */
export function failureItem(
	context: IExecuteFunctions,
	error: unknown,
	itemIndex: number,
	data: JsonObject = {},
): INodeExecutionData {
	const node = context.getNode();
	const items = context.getInputData().length;
	const { message: what, description, details } = describe(node, error, { items, data });
	const isPlain = node.onError === 'continueErrorOutput';
	const traceId = textAt(details, 'traceId') ?? '';
	const isInDescription = !isPlain || description.includes(traceId);
	const message = sentences(description, isInDescription ? '' : `Trace ID: ${traceId}.`);
	return {
		json: { error: what, ...(message !== '' && { message }), ...(!isPlain && { details }) },
		pairedItem: { item: itemIndex },
	};
}

/** Whether the node goes on after a failure instead of ending the workflow. A stop always ends it. */
export function continuesAfter(context: IExecuteFunctions, error: unknown): boolean {
	const isStopped = error instanceof CanceledError || cancelSignalOf(context)?.aborted === true;
	return context.continueOnFail() && !isStopped;
}

/** An item for each input item, where all have failed. Without them, n8n would pass on the input as if nothing had failed. */
export function failureItems(
	context: IExecuteFunctions,
	error: unknown,
	dataOf: (itemIndex: number) => JsonObject = () => ({}),
): INodeExecutionData[] {
	const items = context.getInputData();
	return items.map((_, itemIndex) => failureItem(context, error, itemIndex, dataOf(itemIndex)));
}
