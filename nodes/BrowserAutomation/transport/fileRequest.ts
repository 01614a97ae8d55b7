import type { IExecuteFunctions, IPollFunctions, IWebhookFunctions } from 'n8n-workflow';

import { isOwnAddress } from '../service/files/fileLink';
import type { ServiceClient } from '../service/http/client';
import { DEFAULT_LIMITS } from '../service/http/credential';
import { addressObstacle } from '../service/http/networkAddress';
import {
	AS_IT_COMES,
	isByteStream,
	readFullAnswer,
	type ByteStream,
	type FullAnswer,
} from './answer';
import { anySignal } from './cancellation';
import { senderOf } from './client';
import { DownloadFailure } from './downloadFailure';

const MAX_REDIRECTS = 5;

const REDIRECTS = [301, 302, 303, 307, 308];

/** An answer whose body is still on its way. */
export interface FileAnswer extends FullAnswer {
	body: ByteStream;
	/** Where it came from in the end. */
	url: string;
}

/** The contexts of nodes that can store binary data. */
export type FileKeeper = IExecuteFunctions | IPollFunctions | IWebhookFunctions;

/** What requests files: a node, and a client of the service. */
export interface FileRequester {
	context: FileKeeper;
	/** Reads the runs that have the files. Its key is sent for the service's own files. */
	client: ServiceClient;
}

/**
 * Requests a file and returns as soon as the answer begins, whatever its status. Redirects are
 * followed by hand, so that each link is checked first and the key never leaves the service.
 *
 * @param signal ends the request and the stream of its body
 * @throws DownloadFailure when a link must not be followed; what n8n throws when no answer comes
 */
export async function requestFile(
	{ context, client }: FileRequester,
	link: string,
	headers: Record<string, string>,
	signal: AbortSignal,
): Promise<FileAnswer> {
	const { baseUrl } = client;
	let url = link;
	for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
		const obstacle = addressObstacle(url, baseUrl);
		if (obstacle !== undefined) {
			throw new DownloadFailure(
				`its link ${obstacle}`,
				'none',
				'Nothing was fetched, to protect your network. Ask the service’s support about this link.',
			);
		}
		const connection = new AbortController();
		const request = {
			...AS_IT_COMES,
			method: 'GET' as const,
			url,
			// The bytes as they are: a compressed answer has another size, and cannot be resumed.
			headers: { Accept: '*/*', 'Accept-Encoding': 'identity', ...headers },
			timeout: DEFAULT_LIMITS.timeoutMs,
			abortSignal: anySignal(signal, connection.signal),
		};
		const sent: Promise<unknown> = isOwnAddress(url, baseUrl)
			? senderOf(client, context)(request)
			: context.helpers.httpRequest(request);
		const { body, ...answer } = readFullAnswer(await sent);
		if (!isByteStream(body)) throw new Error('n8n returned no stream');
		const { location } = answer.headers;
		if (!REDIRECTS.includes(answer.status) || location === undefined) {
			return { ...answer, body, url };
		}
		// Ending the stream would not end the connection in newer n8n, whose HTTP client wraps it.
		connection.abort();
		url = URL.canParse(location, url) ? new URL(location, url).href : location;
	}
	throw new DownloadFailure(
		`its link was redirected more than ${MAX_REDIRECTS} times`,
		'none',
		'Ask the service’s support about this link.',
	);
}
