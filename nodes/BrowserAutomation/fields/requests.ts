import { DEFAULT_BASE_URL, toBaseUrl } from '../service/http/credential';
import { MOST_PAGES } from '../service/http/pages';
import { ANSWER_TIMEOUT_MS, MAX_ANSWER_BYTES, type AnswerBounds } from '../service/http/request';
import type { FieldSet, Values } from './field';
import { numberOption, switchOption, text } from './fieldBuilders';
import { readText } from './parseValue';

export const concurrencyField = numberOption('concurrency', 'Concurrency', {
	description: 'How many requests to send to the service at the same time',
	default: 20,
	to: 100,
});

const MS_PER_SECOND = 1_000;
const MEGABYTE = 1024 ** 2;

/** At most an hour, which is longer than any proxy waits for an answer. */
const answerTimeoutField = numberOption('answerTimeout', 'Answer Timeout (Seconds)', {
	description: 'How long to wait for an answer of the service to be complete',
	default: ANSWER_TIMEOUT_MS / MS_PER_SECOND,
	to: 3_600,
	unit: MS_PER_SECOND,
});

/** A text in Node.js has at most about 512 MB. */
const maxAnswerSizeField = numberOption('maxAnswerSize', 'Max Answer Size (MB)', {
	description: 'Largest answer, or file with rows, to read. It is held in memory.',
	default: MAX_ANSWER_BYTES / MEGABYTE,
	to: 500,
	unit: MEGABYTE,
});

/** What the user allows an answer to be. */
export const ANSWER_BOUNDS: FieldSet<AnswerBounds> = {
	fields: [answerTimeoutField, maxAnswerSizeField],
	read: (values) => ({
		timeoutMs: values(answerTimeoutField),
		maxBytes: values(maxAnswerSizeField),
	}),
};

export const returnAllField = switchOption('returnAll', 'Return All', {
	under: undefined,
	description: 'Whether to return all results or only up to a given limit',
});

const limitField = numberOption('limit', 'Limit', {
	under: undefined,
	description: 'Max number of results to return',
	default: 50,
	orElse: 'turn on Return All',
	showWhen: { returnAll: [false] },
});

const mostPagesField = numberOption('maxPages', 'Max Pages', {
	description: 'How many pages to read at most. Beyond that the node stops with an error.',
	default: MOST_PAGES,
});

/** How much of a paged list is read. */
export const PAGING = {
	fields: [returnAllField, limitField, mostPagesField],
	read: (values: Values) => ({
		most: values(returnAllField) ? Infinity : values(limitField),
		mostPages: values(mostPagesField),
	}),
};

/** Where the service is, for operations that need no credential. */
export const baseUrlField = text('baseUrl', 'Base URL', {
	required: true,
	default: DEFAULT_BASE_URL,
	description:
		'Address of the service’s API. Keep the default for BrowserAct. This operation needs no credential.',
	placeholder: `e.g. ${DEFAULT_BASE_URL}`,
	read: (raw, label) =>
		toBaseUrl(readText(raw, label, `Enter an address, e.g. ${DEFAULT_BASE_URL}`)),
});
