import {
	NodeApiError,
	NodeOperationError,
	type IExecuteFunctions,
	type INode,
	type INodeExecutionData,
} from 'n8n-workflow';

import { CanceledError, errorFacts, HelpfulError, ServiceError } from '../service/errors';
import { isJsonObject, textAt, type JsonObject } from '../service/json/json';
import { html } from './markup';
import { redact, redactJson } from '../service/http/redaction';
import { secretsOf } from '../transport/secrets';

/** What is said of a failure beside its own words. */
interface Further {
	/** How many items were to be done: fewer at once may help where the service is too busy. */
	items?: number;
	/** Stands behind the error's own advice. */
	advice?: string;
	/** Stands beside the error's own facts, under its details. A run's `task_id` is named in words, too. */
	data?: JsonObject;
}

/** What happened, what to do, and what is known of it; with none of the node's secrets. */
interface Told {
	message: string;
	/** Empty where there is none. */
	advice: string;
	details: JsonObject;
}

function tell(node: INode, error: unknown, { items = 1, advice, data = {} }: Further): Told {
	const secrets = secretsOf(node);
	const message = messageOf(error);
	const isBusy = error instanceof ServiceError && error.facts.httpStatus === 429;
	const among = isBusy && items > 1 ? 'Lower Concurrency under Options if it stays.' : undefined;
	const taskId = textAt(data, 'task_id');
	const isNamed = taskId === undefined || message.includes(taskId);
	const run = isNamed ? undefined : `Its run: ${taskId}.`;
	return {
		message: redact(message, secrets),
		advice: redact(sentences(adviceOf(error), among, advice, run), secrets),
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
): NodeApiError | NodeOperationError {
	if (isOfN8n(error)) return withoutSecrets(error, secretsOf(node));
	const { message, advice: description, details } = tell(node, error, further);
	// n8n takes an error with the word "canceled" for a stop by the user, and stores no failure.
	const title = message.replaceAll('canceled', 'cancelled');
	const options = { description, itemIndex };
	const nodeError =
		error instanceof ServiceError
			? new NodeApiError(node, {}, { ...options, ...httpCodeOf(error), message: title })
			: new NodeOperationError(node, title, options);
	withTitle(nodeError, title);
	nodeError.context.data = details;
	if (error instanceof HelpfulError) {
		const shown = withLink(description, error.page);
		if (shown !== undefined) nodeError.context.descriptionTemplate = shown;
	} else if (error instanceof Error && error.stack !== undefined) {
		nodeError.stack = redact(error.stack, secretsOf(node));
	}
	return nodeError;
}

function isOfN8n(error: unknown): error is NodeApiError | NodeOperationError {
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

function httpCodeOf({ facts: { httpStatus } }: ServiceError): { httpCode?: string } {
	return httpStatus === undefined ? {} : { httpCode: String(httpStatus) };
}

/**
 * The error with our title. n8n puts a sentence of its own in the place of one that holds ENOTFOUND,
 * ETIMEDOUT or the like, wherever in it.
 */
export function withTitle<T extends NodeApiError | NodeOperationError>(
	nodeError: T,
	title: string,
): T {
	nodeError.message = title;
	nodeError.messages = [];
	return nodeError;
}

/** An error of n8n's own, its words without secrets. What caused it may hold whole requests. */
function withoutSecrets<T extends NodeApiError | NodeOperationError>(
	nodeError: T,
	secrets: readonly string[],
): T {
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

/** Longer texts are cut, in characters: the service, or a bot, may say anything. */
const LONGEST_TEXT = 4_000;

function cut(text: string): string {
	return text.length > LONGEST_TEXT ? `${text.slice(0, LONGEST_TEXT)}…` : text;
}

function messageOf(error: unknown): string {
	return cut(error instanceof Error ? error.message : String(error));
}

/** What to do about an error of ours, or what n8n says of one of its own; empty for any other. */
function adviceOf(error: unknown): string {
	if (error instanceof HelpfulError) return cut(error.advice);
	return (isOfN8n(error) ? error.description : undefined) ?? '';
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
	return redact(messageOf(error), secretsOf(node)).replace(UNPRINTABLE, ' ');
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
	const told = tell(node, error, { items: context.getInputData().length, data });
	const { message, advice, details } = told;
	const isPlain = node.onError === 'continueErrorOutput';
	const traceId = textAt(details, 'traceId') ?? '';
	const trace = isPlain && !advice.includes(traceId) ? `Trace ID: ${traceId}.` : undefined;
	const words = sentences(advice, trace);
	return {
		json: {
			error: message,
			...(words !== '' && { message: words }),
			...(!isPlain && { details }),
		},
		pairedItem: { item: itemIndex },
	};
}

/** Whether the node goes on after a failure, rather than ending the workflow. A stop always ends it. */
export function goesOnAfter(context: IExecuteFunctions, error: unknown): boolean {
	return context.continueOnFail() && !(error instanceof CanceledError);
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
