import { readEnvelope, refusal } from '../service/http/envelope';
import { HelpfulError } from '../service/errors';
import { parseJson, type JsonValue } from '../service/json/json';
import { isPassing } from '../service/http/retry';
import { connectionReason } from './connectionErrors';

/** What may help after a failed download: the same again, a new link, or nothing. */
export type Remedy = 'repeat' | 'renew' | 'none';

const LATER = 'Try again later. The files of a run are kept for a limited time only.';

/** A failed download. Its message is the end of a sentence that names the file. */
export class DownloadFailure extends HelpfulError {
	constructor(
		reason: string,
		advice: string,
		readonly remedy: Remedy,
		/** How long the server asked to be left alone, in milliseconds. */
		readonly retryAfterMs?: number,
	) {
		super(reason, advice);
	}
}

/**
 * A file is larger than the user allows.
 *
 * @param advice what to do other than for a file that is to be stored
 */
export function tooLarge(
	maxBytes: number,
	advice = 'Raise Max File Size (MB) under Options, or leave this type of file out.',
): DownloadFailure {
	return new DownloadFailure(`it is larger than ${maxBytes / 1024 ** 2} MB`, advice, 'none');
}

/** The file is not what it was when its download began. */
export function fileChanged(): DownloadFailure {
	return new DownloadFailure('it changed during the download', LATER, 'none');
}

/** The service has no file to give. */
export function missingFile(words: string | undefined): DownloadFailure {
	return new DownloadFailure(
		`the service has no link to it${words === undefined ? '' : ` (${words})`}`,
		'Wait until the run has ended and its files are complete, then read them again.',
		'none',
	);
}

/** A file is not fetched from where its link leads. */
export function forbiddenLink(obstacle: string): DownloadFailure {
	return new DownloadFailure(
		obstacle,
		'Nothing was fetched, to protect your network. Ask the service’s support about this link.',
		'none',
	);
}

/** A connection that broke, or could not be made. */
export function brokenConnection(error: unknown): DownloadFailure {
	const { text, forbidden } = connectionReason(error);
	if (forbidden !== true) return new DownloadFailure(text, LATER, 'repeat');
	return new DownloadFailure(
		text,
		'If you trust this host, ask whoever runs this n8n to allow it (N8N_SSRF_ALLOWED_HOSTNAMES).',
		'none',
	);
}

/**
 * The file stopped short of its size.
 *
 * @param size in bytes, as its server or the run says
 */
export function incomplete(
	bytes: number,
	size: number | undefined,
	remedy: Remedy,
): DownloadFailure {
	return new DownloadFailure(`it ended after ${bytes} of ${size} bytes`, LATER, remedy);
}

/** Nothing came for a while. */
export function stalled(milliseconds: number): DownloadFailure {
	return new DownloadFailure(`no data came for ${milliseconds / 1000} seconds`, LATER, 'repeat');
}

/**
 * A link was turned down, and the run, which was read again, has no other.
 *
 * @param failure how its server turned it down
 * @param expiredAt when it expired, in milliseconds since 1970, if that is known
 */
export function staleLink(
	failure: DownloadFailure,
	expiredAt: number | undefined,
): DownloadFailure {
	const at = expiredAt === undefined ? '' : new Date(expiredAt).toISOString().slice(0, 16);
	const reason =
		at === ''
			? `${failure.message}. Its link may have expired, and the run gave no newer one`
			: `its link expired on ${at.replace('T', ' at ')} UTC, and the run gave no newer one (${failure.message})`;
	return new DownloadFailure(
		reason,
		'The files of a run are kept for a limited time only. Start the bot again to get them anew.',
		'none',
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
	const envelope = readEnvelope(tryParse(body));
	const reason =
		envelope === undefined
			? `its server answered with HTTP status ${status}`
			: refusal(status, envelope).message;
	const remedy = isPassing(status) ? 'repeat' : STALE_STATUSES.includes(status) ? 'renew' : 'none';
	return new DownloadFailure(reason, LATER, remedy, retryAfterMs);
}

function tryParse(text: string): JsonValue | undefined {
	try {
		return parseJson(text);
	} catch {
		return undefined;
	}
}
