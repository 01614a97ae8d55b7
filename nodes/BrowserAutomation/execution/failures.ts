import {
	NodeApiError,
	NodeOperationError,
	type IDataObject,
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
export interface Further {
	/** Stands behind the error's own advice. */
	advice?: string;
	/** Stands beside the error's own facts, under its details. A run's `task_id` is named in words, too. */
	data?: JsonObject;
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
	const secrets = secretsOf(node);
	if (error instanceof NodeApiError || error instanceof NodeOperationError) {
		return withoutSecrets(error, secrets);
	}
	const title = asFailure(redact(messageOf(error), secrets));
	const description = redact(
		sentences(adviceOf(error), further.advice, unnamedRun(error, further.data)),
		secrets,
	);
	const options = { description, itemIndex };
	const nodeError =
		error instanceof ServiceError
			? new NodeApiError(node, {}, { ...options, ...httpCodeOf(error), message: title })
			: new NodeOperationError(node, title, options);
	withTitle(nodeError, title);
	const shown = error instanceof HelpfulError ? withLink(description, error.page) : undefined;
	if (shown !== undefined) nodeError.context.descriptionTemplate = shown;
	nodeError.context.data = redactJson({ ...further.data, ...errorFacts(error) }, secrets);
	if (!(error instanceof HelpfulError) && error instanceof Error && error.stack !== undefined) {
		nodeError.stack = redact(error.stack, secrets);
	}
	return nodeError;
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
 * The error with our title, without secrets. n8n puts a sentence of its own in the place of one that
 * holds ENOTFOUND, ETIMEDOUT or the like, wherever in it.
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
	nodeError.message = hide(nodeError.message);
	nodeError.messages = nodeError.messages.map(hide);
	if (typeof nodeError.description === 'string') {
		nodeError.description = hide(nodeError.description);
	}
	if (nodeError.stack !== undefined) nodeError.stack = hide(nodeError.stack);
	const { data } = nodeError.context;
	if (isJsonObject(data)) nodeError.context.data = redactJson(data, secrets);
	for (const origin of ['cause', 'errorResponse']) {
		Object.defineProperty(nodeError, origin, { value: undefined });
	}
	return nodeError;
}

/** n8n takes an error with the word "canceled" for a stop by the user, and stores no failure. */
function asFailure(message: string): string {
	return message.replaceAll('canceled', 'cancelled');
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
	const isOfN8n = error instanceof NodeApiError || error instanceof NodeOperationError;
	return (isOfN8n ? error.description : undefined) ?? '';
}

/** Names the run that a failure is about where its message does not. */
function unnamedRun(error: unknown, data: JsonObject = {}): string {
	const taskId = textAt(data, 'task_id');
	const isNamed = taskId === undefined || messageOf(error).includes(taskId);
	return isNamed ? '' : `Its run: ${taskId}.`;
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

/** What else helps when one of several items failed: fewer at once, where the service is too busy. */
export function adviceAmong(items: number, error: unknown): Further {
	const isBusy = error instanceof ServiceError && error.facts.httpStatus === 429;
	return isBusy && items > 1 ? { advice: 'Lower Concurrency under Options if it stays.' } : {};
}

/**
 * An item that stands for a failure. Its keys are the three that n8n recognises as an error's, so
 * that it goes to the error output, where n8n adds the input item's own fields. Holds none of the
 * node's secrets.
 *
 * @param details what identifies the failed thing, e.g. `{ task_id, status }`
 */
export function failureItem(
	context: IExecuteFunctions,
	error: unknown,
	itemIndex: number,
	details: JsonObject = {},
): INodeExecutionData {
	const { advice: among } = adviceAmong(context.getInputData().length, error);
	const advice = sentences(adviceOf(error), among, unnamedRun(error, details));
	const json = {
		error: messageOf(error),
		...(advice !== '' && { message: advice }),
		details: { ...details, ...errorFacts(error) },
	};
	return { json: failureJson(context, json), pairedItem: { item: itemIndex } };
}

/** Whether the node goes on after a failure, rather than ending the workflow. A stop always ends it. */
export function goesOnAfter(context: IExecuteFunctions, error: unknown): boolean {
	return context.continueOnFail() && !(error instanceof CanceledError);
}

/** Items that stand for a failure of all items: n8n itself would pass the input on as if nothing had been. */
export function failureItems(
	context: IExecuteFunctions,
	error: unknown,
	detailsOf: (itemIndex: number) => JsonObject = () => ({}),
): INodeExecutionData[] {
	return context
		.getInputData()
		.map((_, itemIndex) => failureItem(context, error, itemIndex, detailsOf(itemIndex)));
}

/**
 * The JSON of an item that stands for a failure, as this node has to give it. To the error output
 * older n8n sends only items with nothing but `error` and `message`, so the trace ID goes there.
 */
function failureJson(context: IExecuteFunctions, json: JsonObject): IDataObject {
	const node = context.getNode();
	const hidden = redactJson(json, secretsOf(node));
	if (node.onError !== 'continueErrorOutput') return hidden;
	const { error, message, details } = hidden;
	const words = typeof message === 'string' ? message : '';
	const traceId = textAt(details, 'traceId') ?? '';
	const text = words.includes(traceId) ? words : sentences(words, `Trace ID: ${traceId}.`);
	return text === '' ? { error } : { error, message: text };
}
