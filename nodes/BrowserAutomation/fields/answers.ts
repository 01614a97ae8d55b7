import { ANSWER_TIMEOUT_MS, MAX_ANSWER_BYTES, type AnswerBounds } from '../service/http/request';
import type { Values } from './field';
import { numberOption } from './numbers';

const MS_PER_SECOND = 1_000;
const MEGABYTE = 1024 ** 2;

/** Longer than any proxy waits for an answer. */
const LONGEST_SECONDS = 3_600;

/** A text in Node.js has at most about 512 MB. */
const LARGEST_MB = 500;

const answerTimeoutField = numberOption({
	name: 'answerTimeout',
	displayName: 'Answer Timeout (Seconds)',
	description: 'How long to wait for an answer of the service to be complete',
	default: ANSWER_TIMEOUT_MS / MS_PER_SECOND,
	most: LONGEST_SECONDS,
});

const maxAnswerSizeField = numberOption({
	name: 'maxAnswerSize',
	displayName: 'Max Answer Size (MB)',
	description: 'Largest answer, or file with rows, to read. It is held in memory.',
	default: MAX_ANSWER_BYTES / MEGABYTE,
	most: LARGEST_MB,
});

/** What every operation offers. */
export const ANSWER_FIELDS = [answerTimeoutField, maxAnswerSizeField];

/** Reads what the user allows an answer to be. */
export function readAnswerBounds(values: Values): AnswerBounds {
	return {
		timeoutMs: values(answerTimeoutField) * MS_PER_SECOND,
		maxBytes: values(maxAnswerSizeField) * MEGABYTE,
	};
}
