/** The part of a file that an answer holds (RFC 9110, section 14.4). */
export interface ContentRange {
	/** First byte, counted from 0. */
	start: number;
	/** Size of the whole file in bytes; undefined when the server does not know it. */
	total: number | undefined;
}

/** Reads a Content-Range header; undefined when it names no part. */
export function parseContentRange(header: string | undefined): ContentRange | undefined {
	const match = /^bytes (\d+)-\d+\/(\d+|\*)$/.exec(header?.trim() ?? '');
	if (match === null) return undefined;
	return { start: Number(match[1]), total: match[2] === '*' ? undefined : Number(match[2]) };
}
