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
	HelpfulError,
	messageOf,
	ServiceError,
} from '../service/errors';
import { isJsonObject, textAt, type JsonObject } from '../service/json/json';
import { html } from './markup';
import { redact, redactJson } from '../service/http/redaction';
import { shorten } from '../service/schema/wording';
import { cancelSignalOf } from '../transport/cancellation';
import { secretsOf } from '../transport/secrets';

/** Longer texts are cut, in characters: the service, or a bot, may say anything. */
const MAX_TEXT_LENGTH = 4_000;

/** An error as n8n's own nodes throw it. */
type NodeError = NodeApiError | NodeOperationError;

/** What is said of a failure beside its own words. */
interface Further {
	/** How many items were to be done: fewer at once may help where the service is too busy. */
	items?: number;
	/** Stands behind the error's own advice. */
	advice?: string;
	/** Stands beside the error's own facts, under its details. A run's `task_id` is named in words, too. */
	data?: JsonObject;
}

/** What happened, what to do (empty where nobody knows), and what is known of it; with none of the node's secrets. */
function describe(node: INode, error: unknown, { items = 1, advice, data = {} }: Further) {
	const secrets = secretsOf(node);
	const message = shorten(messageOf(error), MAX_TEXT_LENGTH);
	const ofN8n = isOfN8n(error) ? error.description : undefined;
	const own = error instanceof HelpfulError ? error.advice : (ofN8n ?? '');
	const isBusy = error instanceof ServiceError && error.facts.httpStatus === 429;
	const among =
		isBusy && items > 1 ? "Lower 'Requests at a Time' in the credential if it stays." : '';
	const taskId = textAt(data, 'task_id');
	const run = taskId === undefined || message.includes(taskId) ? '' : `Its run: ${taskId}.`;
	return {
		message: redact(message, secrets),
		description: redact(sentences(shorten(own, MAX_TEXT_LENGTH), among, advice, run), secrets),
		details: redactJson({ ...data, ...errorFacts(error) }, secrets),
	};
}

/**
 * The error as n8n shows it: what happened, what to do, and the service's code, words and trace ID
 * under its details. Holds none of the node's secrets, not even where it is one of n8n's own.
 */
export function toNodeError(
	node: INode,
	error: unknown,
	itemIndex: number,
	further: Further = {},
): NodeError {
	if (isOfN8n(error)) return withoutSecrets(error, secretsOf(node));
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

/** Does some work whose errors are thrown as n8n shows them, e.g. for the editor. */
export async function asNodeError<T>(
	context: Pick<IExecuteFunctions, 'getNode'>,
	work: () => Promise<T>,
): Promise<T> {
	try {
		return await work();
	} catch (error) {
		throw toNodeError(context.getNode(), error, 0);
	}
}

function isOfN8n(error: unknown): error is NodeError {
	return error instanceof NodeApiError || error instanceof NodeOperationError;
}

/**
 * A description as the editor shows it in place of the plain one, which stays as it is in logs and
 * outputs: HTML in which a page can be clicked. n8n's editor takes two backticks for code, even in
 * an address.
 */
function withLink(description: string, page = ''): string | undefined {
	if (!/^https?:\/\/[^`]*$/i.test(page)) return undefined;
	const [before, ...after] = description.split(page);
	if (after.length === 0) return undefined;
	const link = html`<a href="${page}" target="_blank">${page}</a>`;
	return html`${before}${link}${after.join(page)}`.text;
}

/** An error of n8n's own, its words without secrets. What caused it may hold whole requests. */
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

/** Joins what there is to say; what is empty is left out. */
export function sentences(...texts: Array<string | undefined>): string {
	return texts.filter((text) => text !== undefined && text !== '').join(' ');
}

/**
 * What happened, in one line without the node's secrets: for a log, a page, or beside a result. What
 * would begin another line of a log, or give a terminal orders, is a space in it.
 */
export function failureText(node: INode, error: unknown): string {
	const text = redact(shorten(messageOf(error), MAX_TEXT_LENGTH), secretsOf(node));
	return text.replace(UNPRINTABLE, ' ');
}

/** Controls, ends of lines and paragraphs, and what turns the direction of writing. */
const UNPRINTABLE = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]+/gu;

/**
 * An item that stands for a failure. Its keys are the three that n8n recognises as an error's, so
 * that it goes to the error output, where n8n adds the input item's own fields. There, older n8n takes
 * only items with nothing but `error` and `message`, so the trace ID is told in words.
 *
 * @param data what identifies the failed thing, e.g. `{ task_id, status }`
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

/** Whether the node goes on after a failure, rather than ending the workflow. A stop always ends it. */
export function continuesAfter(context: IExecuteFunctions, error: unknown): boolean {
	const isStopped = error instanceof CanceledError || cancelSignalOf(context)?.aborted === true;
	return context.continueOnFail() && !isStopped;
}

/** Items that stand for a failure of all items: n8n itself would pass the input on as if nothing had been. */
export function failureItems(
	context: IExecuteFunctions,
	error: unknown,
	dataOf: (itemIndex: number) => JsonObject = () => ({}),
): INodeExecutionData[] {
	const items = context.getInputData();
	return items.map((_, itemIndex) => failureItem(context, error, itemIndex, dataOf(itemIndex)));
}
