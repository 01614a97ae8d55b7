import { mimeTypeOf, sanitizeFileName } from '../files/fileName';
import { decode, nameInDisposition } from './httpHeaders';
import { isJsonObject, readJson, type JsonValue } from '../json/json';

/** An answer as bytes, as it came. Header names are in lower case. */
export interface BytesAnswer {
	status: number;
	headers: Record<string, string | undefined>;
	bytes: Buffer;
}

/** The content of an answer, by its content type. */
export type Content =
	| { kind: 'none' }
	| { kind: 'json'; value: JsonValue }
	| { kind: 'text'; text: string }
	| { kind: 'file'; mimeType: string | undefined; fileName: string };

/**
 * Whether forwarded bytes are a refusal: any status that is no success, or the service's own error
 * envelope with all of its fields under a success status. Anything else belongs to the CLI backend.
 */
export function isRefused(answer: BytesAnswer): boolean {
	if (answer.status < 200 || answer.status >= 300) return true;
	const content = readContent(answer);
	const envelope = content.kind === 'json' && isJsonObject(content.value) ? content.value : {};
	const { code, data } = envelope;
	const isWhole = ENVELOPE_FIELDS.every((field) => field in envelope);
	return isWhole && data === null && typeof code === 'number' && code !== 0;
}

/** The response envelope has all of these (docs/service.md: Response envelope). */
const ENVELOPE_FIELDS = ['code', 'msg', 'data', 'ts', 'time', 'traceId'];

const JSON_TYPE = /^application\/(.+\+)?json$/;
const TEXT_TYPE = /^(text\/.+|application\/((.+\+)?xml|javascript|yaml|x-www-form-urlencoded))$/;

/**
 * Reads an answer by its content type. Broken JSON is text; what has no type, or is text in an unknown
 * character set, is a file.
 */
export function readContent({ headers, bytes }: BytesAnswer): Content {
	if (bytes.length === 0) return { kind: 'none' };
	const contentType = headers['content-type'] ?? '';
	const mimeType = contentType.split(';', 1).join('').trim().toLowerCase();
	const isJson = JSON_TYPE.test(mimeType);
	const text = isJson || TEXT_TYPE.test(mimeType) ? decodeText(bytes, contentType) : undefined;
	const value = isJson && text !== undefined ? readJson(text) : undefined;
	if (value !== undefined) return { kind: 'json', value };
	if (text !== undefined) return { kind: 'text', text };
	const said = nameInDisposition(headers['content-disposition']) ?? '';
	const fileName = sanitizeFileName(said) ?? 'file';
	return { kind: 'file', mimeType: mimeTypeOf(contentType, fileName), fileName };
}

/** Text in the character set that the content type names, else UTF-8; undefined where the bytes are no such text. */
export function decodeText(bytes: Uint8Array, contentType: string): string | undefined {
	const [, named = 'utf-8'] = /charset="?([^";\s]+)/i.exec(contentType) ?? [];
	return decode(bytes, named) ?? decode(bytes, 'utf-8');
}
