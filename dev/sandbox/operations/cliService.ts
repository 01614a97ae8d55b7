import { gzipSync } from 'node:zlib';
import type { Answer, Call, Operation, Operations } from '../call';
import { Refusal } from '../refusal';

const METHODS = ['get', 'post', 'put', 'delete', 'patch', 'options', 'head'] as const;

/**
 * Forwarding to the CLI backend. The paths that are forwarded are not published; here the last
 * segment chooses the answer: `text`, `html`, `binary`, `empty`, `fail400`, `fail500`; anything else
 * echoes the request as JSON.
 */
export function cliServiceOperations(): Operations {
	return Object.fromEntries(
		METHODS.map((method): [string, Operation] => [`cliService.request.${method}`, forward]),
	);
}

function forward(call: Call): Answer {
	switch ((call.path['path'] ?? '').split('/').at(-1)) {
		case 'text':
			return bytes('text/plain; charset=utf-8', Buffer.from('Plain text from the CLI backend.\n'));
		case 'html':
			return bytes('text/html; charset=utf-8', Buffer.from('<h1>CLI backend</h1>\n'));
		case 'binary':
			return bytes('application/gzip', gzipSync('Binary from the CLI backend.'), {
				'content-disposition': 'attachment; filename="backend.gz"',
			});
		case 'empty':
			return bytes('application/octet-stream', Buffer.alloc(0));
		case 'fail400':
			throw new Refusal(40001, 'the CLI backend refused the request');
		case 'fail500':
			throw new Refusal(50001, 'the CLI backend failed', 500);
		default:
			return echo(call);
	}
}

function echo({ method, path, queryString, rawBody, body }: Call): Answer {
	if (method === 'OPTIONS') {
		return bytes('application/json', Buffer.from('{}'), {
			allow: METHODS.join(', ').toUpperCase(),
		});
	}
	const answer = {
		method,
		path: path['path'],
		query: Object.fromEntries(new URLSearchParams(queryString)),
		body: body ?? null,
		size: rawBody.length,
	};
	return bytes('application/json', Buffer.from(JSON.stringify(answer)), {
		'x-backend': 'cli',
	});
}

function bytes(
	contentType: string,
	content: Buffer,
	headers: Readonly<Record<string, string>> = {},
): Answer {
	return { kind: 'bytes', status: 200, contentType, bytes: content, headers };
}
