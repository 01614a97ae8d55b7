/**
 * Reads a Content-Range header (RFC 9110, section 14.4).
 *
 * @returns the first byte of the part, counted from 0, and the size of the whole file in bytes; each undefined
 * where the header does not have it
 */
export function parseContentRange(header = ''): Record<'start' | 'total', number | undefined> {
	const [, ...parts] = /^bytes (?:(\d+)-\d+|\*)\/(?:(\d+)|\*)$/.exec(header.trim()) ?? [];
	const [start, total] = parts.map((digits?: string) => (digits ? Number(digits) : undefined));
	return { start, total };
}

/**
 * Reads the Retry-After header of an answer: seconds or an HTTP date (RFC 9110, section 10.2.3). A date is measured from that of
 * the answer, as the service's clock may be another.
 *
 * @returns milliseconds from now; undefined when there is no such header or it says nothing
 */
export function retryAfterOf({
	'retry-after': header,
	date: answeredAt = '',
}: Record<string, string | undefined>): number | undefined {
	const text = header?.trim() ?? '';
	const now = Date.parse(answeredAt) || Date.now();
	if (/^-?\d+(\.\d+)?$/.test(text)) return Math.max(0, Number(text) * 1000);
	const date = Date.parse(text);
	return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

/** A parameter of a header: its name and its value, in quotes or as it is. */
const PARAMETER = /;\s*([^\s=;"]+)\s*=\s*("(?:[^"\\]|\\.)*"|[^;\s"]*)/g;

/** The file name in a Content-Disposition header (RFC 6266): `filename*` before `filename`. */
export function nameInDisposition(header = ''): string | undefined {
	const parameters = new Map<string, string>();
	for (const [, name = '', value = ''] of header.matchAll(PARAMETER)) {
		const text = value.startsWith('"') ? value.slice(1, -1).replace(/\\(.)/g, '$1') : value;
		parameters.set(name.toLowerCase(), text);
	}
	const plain = parameters.get('filename') ?? '';
	// Header bytes reach us as Latin-1, though many servers write file names in UTF-8.
	const name = extendedValue(parameters.get('filename*')) ?? ofBytes(plain, 'utf-8') ?? plain;
	return name === '' ? undefined : name;
}

/** A value as in `UTF-8'en'%e2%82%ac` (RFC 8187); undefined when it is not one. */
function extendedValue(value = ''): string | undefined {
	const [, charset = '', text] = /^([\w-]+)'[^']*'(.*)$/.exec(value) ?? [];
	const bytes = text?.replace(/%([0-9a-f]{2})/gi, (_, code: string) =>
		String.fromCharCode(parseInt(code, 16)),
	);
	return bytes && ofBytes(bytes, charset);
}

/** Text of bytes that are one a character. */
function ofBytes(bytes: string, charset: string): string | undefined {
	return /[^\0-\xff]/.test(bytes) ? undefined : decode(Buffer.from(bytes, 'latin1'), charset);
}

/** Text in a character set, without a byte order mark; undefined when the bytes are no such text, or the set is not known. */
export function decode(bytes: Uint8Array, charset: string): string | undefined {
	try {
		return new TextDecoder(charset, { fatal: true }).decode(bytes);
	} catch {
		return undefined;
	}
}
