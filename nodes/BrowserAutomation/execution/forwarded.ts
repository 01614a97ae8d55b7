import type { IBinaryKeyData } from 'n8n-workflow';

import { readContent, type BytesAnswer } from '../service/content';
import { asItems } from './handlers';
import type { Handler, ItemCall, ItemResult } from './operation';
import { readAnswerBounds } from '../fields/answers';
import { sendForBytes } from '../transport/client';

/** Methods whose answer is its status and headers. */
const HEADERS_ONLY = ['HEAD', 'OPTIONS'];

/**
 * What the CLI backend answered, by its content type: JSON as items, text under `text`, anything
 * else as the binary file `data`. HEAD and OPTIONS give the status and the headers.
 */
export const forwarded: Handler = async (request, call) => {
	const answer = await sendForBytes(call.context, { ...readAnswerBounds(call.values), ...request });
	if (HEADERS_ONLY.includes(request.method)) {
		return [{ json: { status: answer.status, headers: presentHeaders(answer) } }];
	}
	return await toResults(answer, call);
};

function presentHeaders({ headers }: BytesAnswer): Record<string, string> {
	return Object.fromEntries(
		Object.entries(headers).map(([name, value]): [string, string] => [name, value ?? '']),
	);
}

async function toResults(answer: BytesAnswer, { context }: ItemCall): Promise<ItemResult[]> {
	const content = readContent(answer);
	switch (content.kind) {
		case 'none':
			return [{ json: { success: true } }];
		case 'json':
			return asItems(content.value).map((json) => ({ json }));
		case 'text':
			return [{ json: { text: content.text } }];
		case 'file': {
			const { fileName, mimeType } = content;
			const binary: IBinaryKeyData = {
				data: await context.helpers.prepareBinaryData(answer.bytes, fileName, mimeType),
			};
			const json = { file_name: fileName, mime_type: mimeType, file_size: answer.bytes.length };
			return [{ json, binary }];
		}
	}
}
