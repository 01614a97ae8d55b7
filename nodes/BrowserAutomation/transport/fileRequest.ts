import type {
	IExecuteFunctions,
	IHttpRequestOptions,
	IPollFunctions,
	IWebhookFunctions,
} from 'n8n-workflow';

import { isOwnAddress, linkObstacle } from '../service/files/fileLink';
import { ANSWER_TIMEOUT_MS } from '../service/http/request';
import { brokenConnection, DownloadFailure, forbiddenLink } from './downloadFailure';
import { API_CREDENTIAL } from './client';
import { readFullAnswer, type FullAnswer } from './fullAnswer';
import { sendAs } from './sendAs';

const MOST_REDIRECTS = 5;

const REDIRECTS = [301, 302, 303, 307, 308];

/** A stream as n8n's helpers take and give it. */
export type ByteStream = Exclude<
	Parameters<IExecuteFunctions['helpers']['prepareBinaryData']>[0],
	Buffer
>;

/** An answer whose body is still on its way. */
export interface FileAnswer extends FullAnswer {
	body: ByteStream;
	/** Where it came from in the end. */
	url: string;
}

/** What a node's context offers for getting files into n8n's binary store. */
export type FileKeeper = IExecuteFunctions | IPollFunctions | IWebhookFunctions;

/** Asks for files on behalf of a node. */
export interface FileRequester {
	context: FileKeeper;
	/** The base URL of the service. */
	serviceUrl: string;
}

/**
 * Asks for a file and returns as soon as the answer begins, whatever its status. Redirects are
 * followed by hand, so that each link is checked first and the key never leaves the service.
 *
 * @param signal ends the request and the stream of its body
 * @throws DownloadFailure when a link must not be followed, or no answer came
 */
export async function requestFile(
	{ context, serviceUrl }: FileRequester,
	link: string,
	headers: Record<string, string>,
	signal: AbortSignal,
): Promise<FileAnswer> {
	let url = link;
	for (let redirects = 0; redirects <= MOST_REDIRECTS; redirects++) {
		const obstacle = linkObstacle(url, serviceUrl);
		if (obstacle !== undefined) throw forbiddenLink(obstacle);
		const options = toHttpRequestOptions(url, headers, signal);
		const send = isOwnAddress(url, serviceUrl) ? sendWithKey : sendWithoutKey;
		const answer = toFileAnswer(await send(context, options).catch(rethrow), url);
		const { location } = answer.headers;
		if (!REDIRECTS.includes(answer.status) || location === undefined) return answer;
		await discard(answer.body);
		url = URL.canParse(location, url) ? new URL(location, url).href : location;
	}
	throw new DownloadFailure(
		`its link was redirected more than ${MOST_REDIRECTS} times`,
		'Ask the service’s support about this link.',
		'none',
	);
}

function rethrow(error: unknown): never {
	throw brokenConnection(error);
}

/** The bytes as they are: a compressed answer has another size, and cannot be resumed. */
function toHttpRequestOptions(
	url: string,
	headers: Record<string, string>,
	abortSignal: AbortSignal,
): IHttpRequestOptions {
	return {
		method: 'GET',
		url,
		headers: { Accept: '*/*', 'Accept-Encoding': 'identity', ...headers },
		encoding: 'stream',
		returnFullResponse: true,
		ignoreHttpStatusErrors: true,
		disableFollowRedirect: true,
		sendCredentialsOnCrossOriginRedirect: false,
		timeout: ANSWER_TIMEOUT_MS,
		abortSignal,
	};
}

async function sendWithoutKey(
	{ helpers }: FileKeeper,
	options: IHttpRequestOptions,
): Promise<unknown> {
	return await helpers.httpRequest(options);
}

async function sendWithKey(context: FileKeeper, options: IHttpRequestOptions): Promise<unknown> {
	return await sendAs(context, API_CREDENTIAL, options);
}

function toFileAnswer(answer: unknown, url: string): FileAnswer {
	const { status, headers, body } = readFullAnswer(answer);
	if (!isByteStream(body)) throw new Error('n8n returned no stream');
	// A stream that fails while nobody reads it would end the whole process.
	body.on('error', () => undefined);
	return { status, headers, body, url };
}

/** Whether a value is a stream that can be read. */
export function isByteStream(value: unknown): value is ByteStream {
	return (
		typeof value === 'object' &&
		value !== null &&
		'pipe' in value &&
		typeof value.pipe === 'function' &&
		Symbol.asyncIterator in value
	);
}

const LONGEST_REMARK = 16_384;

/** The beginning of a body as text; the rest is let go. Empty when it cannot be read. */
export async function readRemark(body: ByteStream): Promise<string> {
	const decoder = new TextDecoder();
	let text = '';
	try {
		for await (const chunk of body) {
			if (chunk instanceof Uint8Array) text += decoder.decode(chunk, { stream: true });
			if (text.length > LONGEST_REMARK) break;
		}
	} catch {
		return '';
	}
	return text;
}

/** Lets a body go that nobody needs, and its connection with it. */
async function discard(body: ByteStream): Promise<void> {
	await readRemark(body);
}
