import { startOf } from '../text';

/** The limit of common file systems, in bytes of UTF-8. */
const MAX_NAME_LENGTH = 255;

const MAX_EXTENSION_LENGTH = 20;

/** Names that Windows keeps for devices, whatever their ending. */
const RESERVED = /^(con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³])\s*(\.|$)/i;

/**
 * A name as every file system takes it: one path segment, no control or reserved characters, no name
 * of a device, at most 255 bytes with its ending kept and no character cut in two. Joiners stay, by which Persian and some
 * emoji are written. Undefined when nothing is left of it.
 */
export function sanitizeFileName(text: string): string | undefined {
	const segment = text.slice(Math.max(text.lastIndexOf('/'), text.lastIndexOf('\\')) + 1);
	const name = trimmed(
		segment
			.replace(/(?!\p{Join_Control})[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu, '')
			.replace(/[<>:"|?*]/g, '_'),
	);
	if (name === '') return undefined;
	// What is cut off may be all that kept a name from being that of a device.
	const short = shortenedName(name);
	return RESERVED.test(short) ? shortenedName(`_${short}`) : short;
}

/** Without dots, spaces and joiners at its ends. The search begins at the first of a row only: from each it would take quadratic time. */
function trimmed(name: string): string {
	return name.replace(/^[. \u200c\u200d]+|(?<![. \u200c\u200d])[. \u200c\u200d]+$/g, '');
}

function shortenedName(name: string): string {
	if (Buffer.byteLength(name) <= MAX_NAME_LENGTH) return name;
	const ending = endingOf(name);
	const room = MAX_NAME_LENGTH - Buffer.byteLength(ending);
	const { read } = new TextEncoder().encodeInto(name, new Uint8Array(room));
	return trimmed(startOf(name, read)) + ending;
}

/** A name's last dot and what follows; empty when that is no ending. */
function endingOf(name: string): string {
	const dot = name.lastIndexOf('.');
	return dot > 0 && name.length - dot - 1 <= MAX_EXTENSION_LENGTH ? name.slice(dot) : '';
}

/** Types that say nothing about a file, as file stores give to whatever they do not know. */
const EMPTY_TYPES = [
	'',
	'application/octet-stream',
	'binary/octet-stream',
	'application/x-download',
];

/** A type and a subtype (RFC 6838, section 4.2). */
const TYPE_NAME = /^[a-z0-9][\w!#$&^.+-]{0,126}\/[a-z0-9][\w!#$&^.+-]{0,126}$/;

/**
 * The MIME type of a file, without parameters, as its server says. Undefined where that says nothing
 * and the name has an ending, by which n8n finds the type itself (n8n-core 1.123 and 2.41:
 * `prepareBinaryData` in binary-helper-functions.js).
 */
export function mimeTypeOf(contentType: string | undefined, fileName: string): string | undefined {
	const said = (contentType?.split(';')[0] ?? '').trim().toLowerCase();
	if (!EMPTY_TYPES.includes(said) && TYPE_NAME.test(said)) return said;
	return endingOf(fileName) === '' ? 'application/octet-stream' : undefined;
}
