/** How deep lists and objects may nest. Code that walks through a value recurses, and the stack is bounded. */
const MAX_JSON_LEVELS = 500;

const QUOTE = '"'.charCodeAt(0);
const COMMA = ','.charCodeAt(0);
const LIST = '['.charCodeAt(0);
const OPENING = '{'.charCodeAt(0);
const CLOSING = '}'.charCodeAt(0);

/** A bracket and a brace differ in this bit only. */
const BRACE_BIT = 0x20;

/** Follows JSON text that may come in pieces: how deep it is, and where its strings and lists end. */
export class JsonScanner {
	/** How many lists and objects are open. */
	private level = 0;
	/** The level of the list at which the scan has stopped; none outside of one. */
	private base = -Infinity;
	/** Whether the text so far ends within a string. */
	private isInString = false;
	/** Whether the first character of the next piece is an escaped one. */
	private isEscaped = false;

	/**
	 * Goes on through a piece: to its end, or to that of the list at which the scan has stopped before.
	 *
	 * @param piece the next of the text, from `from` on
	 * @param stopsAtList whether the beginning of a list ends the scan, too
	 * @returns where it stopped; and where the last comma stands between elements of the list, -1 without one
	 * @throws SyntaxError when there are more levels than there may be
	 */
	scan(piece: string, from = 0, stopsAtList = false): Record<'end' | 'comma', number> {
		let comma = -1;
		let at = this.isInString ? this.goThroughString(piece, from) : from;
		for (; at < piece.length; at++) {
			const sign = piece.charCodeAt(at);
			if (sign === QUOTE) {
				at = this.goThroughString(piece, at + 1) - 1;
			} else if (sign === COMMA) {
				if (this.level === this.base) comma = at;
			} else if ((sign | BRACE_BIT) === OPENING) {
				if (++this.level > MAX_JSON_LEVELS) {
					throw new SyntaxError(`The JSON nests deeper than ${MAX_JSON_LEVELS} levels`);
				}
				if (stopsAtList && sign === LIST) {
					this.base = this.level;
					break;
				}
			} else if ((sign | BRACE_BIT) === CLOSING && this.level-- === this.base) {
				this.base = -Infinity;
				break;
			}
		}
		return { end: at, comma };
	}

	/** Goes on within a string: the index behind it, or the piece's length where it does not end there. */
	private goThroughString(piece: string, from: number): number {
		const start = this.isEscaped ? from + 1 : from;
		const end = endOfString(piece, start);
		this.isInString = end === undefined;
		this.isEscaped = end === undefined && isEscaped(piece, piece.length, start);
		return end ?? piece.length;
	}
}

/** The index behind the string whose content begins at `start`; undefined when it does not end. */
export function endOfString(text: string, start: number): number | undefined {
	for (let quote = text.indexOf('"', start); quote !== -1; quote = text.indexOf('"', quote + 1)) {
		if (!isEscaped(text, quote, start)) return quote + 1;
	}
	return undefined;
}

/** Whether an odd number of backslashes stands before a character, from `start` on. */
function isEscaped(text: string, at: number, start: number): boolean {
	let first = at;
	while (first > start && text.charAt(first - 1) === '\\') first--;
	return (at - first) % 2 === 1;
}
