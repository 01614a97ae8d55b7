import { readEnvelope, refusal } from '../service/http/envelope';
import { HelpfulError } from '../service/errors';
import { isExpired, type RunFile } from '../service/files/files';
import { readJson } from '../service/json/json';
import { isPassing } from '../service/http/retry';
import { connectionReason } from './connectionErrors';

/** What may help after a failed download: the same request, a new link, or nothing. */
export type Remedy = 'repeat' | 'renew' | 'none';

/** A failed download. Its message is the end of a sentence that names the file. */
export class DownloadFailure extends HelpfulError {
	/** @param retryAfterMs how long the server has asked to wait, in milliseconds */
	constructor(
		reason: string,
		readonly remedy: Remedy = 'none',
		advice = 'Try again later. The files of a run are kept for a limited time only.',
		readonly retryAfterMs?: number,
	) {
		super(reason, advice);
	}
}

/** The service has no file to give, for a reason in its own words. */
export function missingFile(words: string | undefined): DownloadFailure {
	return new DownloadFailure(
		`the service has no link to it${words === undefined ? '' : ` (${words})`}`,
		'none',
		'Wait until the run has ended and its files are complete, then read them again.',
	);
}

/** A connection that broke, or could not be made. */
export function brokenConnection(error: unknown): DownloadFailure {
	const { text, advice } = connectionReason(error);
	return new DownloadFailure(text, advice === undefined ? 'repeat' : 'none', advice);
}

/** A link was turned down, and the run, which was read again, has no other. */
export function staleLink({ message }: DownloadFailure, file: RunFile): DownloadFailure {
	const [day, time] = new Date(file.expiresAt ?? 0).toISOString().slice(0, 16).split('T');
	return new DownloadFailure(
		isExpired(file, Date.now())
			? `its link expired on ${day} at ${time} UTC, and the run gave no newer one (${message})`
			: `${message}. Its link may have expired, and the run gave no newer one`,
		'none',
		'The service keeps files for a limited time. Run the bot again to get new ones.',
	);
}

/** Statuses with which file stores turn down a link that is no longer good. */
const STALE_STATUSES = [400, 401, 403, 404, 410];

/** An answer that is not the file. */
export function refusedDownload(
	status: number,
	body: string,
	retryAfterMs: number | undefined,
): DownloadFailure {
	const envelope = readEnvelope(readJson(body));
	const said = envelope && refusal(status, envelope).message;
	const reason = said ?? `its server answered with HTTP status ${status}`;
	const remedy = isPassing(status) ? 'repeat' : STALE_STATUSES.includes(status) ? 'renew' : 'none';
	return new DownloadFailure(reason, remedy, undefined, retryAfterMs);
}
