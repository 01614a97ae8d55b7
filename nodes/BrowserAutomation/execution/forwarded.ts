import { readContent, type BytesAnswer, type Content } from '../service/http/content';
import { asItems } from './handlers';
import type { Handler } from './operation';
import { readAnswerBounds } from '../fields/requests';
import { fullResponseOption, neverErrorOption } from '../fields/forwarding';
import { sendForBytes } from '../transport/client';

/** Methods whose answer is its status and headers. */
const HEADERS_ONLY = ['HEAD', 'OPTIONS'];

/**
 * What the CLI backend answered, by its content type: JSON as items, text under `text`, anything
 * else as the binary file `data`. HEAD and OPTIONS give the status and the headers, and any method
 * where the user wants them, with the content as `body` or `data`, in the names of HTTP Request.
 */
export const forwarded: Handler = async (request, { context, values }) => {
	const bounds = readAnswerBounds(values);
	const answer = await sendForBytes(context, { ...bounds, ...request }, values(neverErrorOption));
	const { headers, bytes, status: statusCode } = answer;
	const content: Content = HEADERS_ONLY.includes(request.method)
		? { kind: 'none' }
		: readContent(answer);
	const head = { statusCode, headers: presentHeaders(headers) };
	const isWhole = values(fullResponseOption) || HEADERS_ONLY.includes(request.method);
	switch (content.kind) {
		case 'none':
			return [{ json: isWhole ? head : { success: statusCode >= 200 && statusCode < 300 } }];
		case 'json':
			if (isWhole) return [{ json: { ...head, body: content.value } }];
			return asItems(content.value).map((json) => ({ json }));
		case 'text':
			return [{ json: isWhole ? { ...head, body: content.text } : { text: content.text } }];
		case 'file': {
			const { fileName, mimeType } = content;
			const data = await context.helpers.prepareBinaryData(bytes, fileName, mimeType);
			const json = { file_name: fileName, mime_type: data.mimeType, file_size: bytes.length };
			return [{ json: isWhole ? { ...head, ...json } : json, binary: { data } }];
		}
	}
};
forwarded.fields = [fullResponseOption, neverErrorOption];

function presentHeaders(headers: BytesAnswer['headers']): Record<string, string> {
	return Object.fromEntries(
		Object.entries(headers).map(([name, value]): [string, string] => [name, value ?? '']),
	);
}
