const LONGEST_NAME = 200;
const LONGEST_ENDING = 20;

/**
 * A name as every file system takes it: one path segment, no control or reserved characters, at
 * most 200 characters with its ending kept. Undefined when nothing is left of it.
 */
export function sanitizeFileName(text: string): string | undefined {
	const segment = text.slice(Math.max(text.lastIndexOf('/'), text.lastIndexOf('\\')) + 1);
	const name = segment
		.replace(/[\p{Cc}\p{Cf}]/gu, '')
		.replace(/[<>:"|?*]/g, '_')
		.replace(/^[. ]+|[. ]+$/g, '');
	if (name === '') return undefined;
	const characters = [...name];
	if (characters.length <= LONGEST_NAME) return name;
	const ending = endingOf(name);
	const kept = ending === '' ? '' : `.${ending}`;
	return characters.slice(0, LONGEST_NAME - kept.length).join('') + kept;
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
	if (!EMPTY_TYPES.includes(said)) return said;
	return TYPES[endingOf(fileName)] ?? UNKNOWN_TYPE;
}
