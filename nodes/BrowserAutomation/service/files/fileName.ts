/** What common file systems take, in bytes of UTF-8. */
const LONGEST_NAME = 255;

/** Longer names are not looked through, in characters. */
const LONGEST_READ = 2_000;

const LONGEST_ENDING = 20;

/** Names that Windows keeps for devices, whatever their ending. */
const RESERVED = /^(con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³])\s*(\.|$)/i;

/**
 * A name as every file system takes it: one path segment, no control or reserved characters, no name
 * of a device, at most 255 bytes with its ending kept and no character cut in two. Undefined when
 * nothing is left of it.
 */
export function sanitizeFileName(text: string): string | undefined {
	const segment = text.slice(Math.max(text.lastIndexOf('/'), text.lastIndexOf('\\')) + 1);
	const read =
		segment.length > LONGEST_READ
			? segment.slice(0, LONGEST_READ / 2) + segment.slice(-LONGEST_READ / 2)
			: segment;
	const name = trimmed(
		read.replace(/[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu, '').replace(/[<>:"|?*]/g, '_'),
	);
	if (name === '') return undefined;
	// What is cut off may be all that kept a name from being that of a device.
	const short = shortened(name);
	return RESERVED.test(short) ? shortened(`_${short}`) : short;
}

function trimmed(name: string): string {
	return name.replace(/^[. ]+/, '').replace(/[. ]+$/, '');
}

function shortened(name: string): string {
	if (Buffer.byteLength(name) <= LONGEST_NAME) return name;
	const ending = endingOf(name);
	const kept = ending === '' ? '' : name.slice(-ending.length - 1);
	const room = LONGEST_NAME - Buffer.byteLength(kept);
	const graphemes = Array.from(new Intl.Segmenter().segment(name), ({ segment }) => segment);
	// One character with very many marks may be longer than a name can be.
	const stem = fitting(graphemes, room) || fitting([...name], room);
	return trimmed(stem) + kept;
}

/** The first parts that fit into so many bytes, of a text that does not fit as a whole. */
function fitting(parts: string[], room: number): string {
	let bytes = 0;
	const end = parts.findIndex((part) => (bytes += Buffer.byteLength(part)) > room);
	return parts.slice(0, end).join('');
}

/** What follows the last dot of a name, in lower case; empty when that is no ending. */
function endingOf(name: string): string {
	const dot = name.lastIndexOf('.');
	const ending = name.slice(dot + 1).toLowerCase();
	return dot > 0 && ending.length <= LONGEST_ENDING ? ending : '';
}

const UNKNOWN_TYPE = 'application/octet-stream';

/** Types that say nothing about a file, as file stores give to whatever they do not know. */
const EMPTY_TYPES = ['', UNKNOWN_TYPE, 'binary/octet-stream', 'application/x-download'];

/** A type and a subtype (RFC 6838, section 4.2). */
const TYPE_NAME = /^[a-z0-9][\w!#$&^.+-]{0,126}\/[a-z0-9][\w!#$&^.+-]{0,126}$/;

const TYPES: Record<string, string> = {
	csv: 'text/csv',
	docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
	gif: 'image/gif',
	gz: 'application/gzip',
	htm: 'text/html',
	html: 'text/html',
	jpeg: 'image/jpeg',
	jpg: 'image/jpeg',
	json: 'application/json',
	md: 'text/markdown',
	mp3: 'audio/mpeg',
	mp4: 'video/mp4',
	pdf: 'application/pdf',
	png: 'image/png',
	pptx: 'application/vnd.openxmlformats-officedocument.presentationml.presentation',
	svg: 'image/svg+xml',
	tar: 'application/x-tar',
	txt: 'text/plain',
	webm: 'video/webm',
	webp: 'image/webp',
	xls: 'application/vnd.ms-excel',
	xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
	xml: 'application/xml',
	zip: 'application/zip',
};

/** The MIME type of a file, without parameters: what its server says, else what its name suggests. */
export function mimeTypeOf(contentType: string | undefined, fileName: string): string {
	const said = (contentType?.split(';')[0] ?? '').trim().toLowerCase();
	if (!EMPTY_TYPES.includes(said) && TYPE_NAME.test(said)) return said;
	return TYPES[endingOf(fileName)] ?? UNKNOWN_TYPE;
}
