import { MOST_LEVELS, parseJson, tooDeep, type JsonObject, type JsonValue } from './json';

/** A list or object that is filled as its parts come in. */
type Container =
	{ kind: 'list'; list: JsonValue[] } | { kind: 'object'; object: JsonObject; key: string };

/** A key or value whose text is coming in. A scalar is a number or a word: its end is only seen after it. */
interface Part {
	text: string;
	isScalar: boolean;
	/** How many of its brackets are open. */
	depth: number;
	inString: boolean;
	/** Whether the text so far ends within an escape of a string. */
	escaped: boolean;
}

/** What may come next. `…OrEnd` is the state right after an opening bracket. */
type Expectation = 'value' | 'valueOrEnd' | 'key' | 'keyOrEnd' | 'colon' | 'commaOrEnd' | 'nothing';

const NOT_WHITESPACE = /[^ \t\n\r]/g;
const AFTER_SCALAR = /[\s,\]}:]/g;
const BRACKET_OR_QUOTE = /["[\]{}]/g;
const QUOTE_OR_ESCAPE = /["\\]/g;

/**
 * Reads JSON text that comes in pieces, so that a large document is never held as text and as value
 * at once. Objects outside of lists, and those lists, are put together here; each element of such a
 * list, typically a row, is held as text only until it is complete. Long integers come back as text,
 * as with `parseJson`.
 */
export class JsonReader {
	private readonly open: Container[] = [];
	private expected: Expectation = 'value';
	private result: JsonValue | undefined;
	/** The key, element or other value under way, as far as its text is there. */
	private part: Part | undefined;

	/** @throws SyntaxError when the text so far is not the beginning of JSON */
	write(piece: string): void {
		let at = 0;
		while (at < piece.length) {
			if (this.part === undefined) {
				const start = indexOf(NOT_WHITESPACE, piece, at);
				if (start === undefined) return;
				at = start;
				if (this.readSign(piece.charAt(at))) {
					at++;
					continue;
				}
				const isScalar = !'"[{'.includes(piece.charAt(at));
				this.part = { text: '', isScalar, depth: 0, inString: false, escaped: false };
			}
			const end = endOfPart(this.part, piece, at);
			this.part.text += piece.slice(at, end);
			if (end === undefined) return;
			this.finish(this.part.text);
			at = end;
		}
	}

	/**
	 * The value, once all text was written.
	 *
	 * @throws SyntaxError when the text is not complete JSON
	 */
	end(): JsonValue {
		if (this.part?.isScalar) this.finish(this.part.text);
		if (this.expected !== 'nothing' || this.result === undefined) {
			throw new SyntaxError('The JSON ends too early');
		}
		return this.result;
	}

	/** Reads a sign of the structure; false when a key or value begins instead. */
	private readSign(sign: string): boolean {
		const container = this.open.at(-1);
		if (sign === ':' && this.expected === 'colon') {
			this.expected = 'value';
		} else if (sign === ',' && this.expected === 'commaOrEnd') {
			this.expected = container?.kind === 'object' ? 'key' : 'value';
		} else if (sign === ']' && container?.kind === 'list' && this.mayEnd()) {
			this.open.pop();
			this.add(container.list);
		} else if (sign === '}' && container?.kind === 'object' && this.mayEnd()) {
			this.open.pop();
			this.add(container.object);
		} else if (this.expected === 'value' || this.expected === 'valueOrEnd') {
			if (',:]}'.includes(sign)) throw unexpected(sign);
			if (container?.kind === 'list' || !'[{'.includes(sign)) return false;
			this.openContainer(sign);
		} else if (sign === '"' && (this.expected === 'key' || this.expected === 'keyOrEnd')) {
			return false;
		} else {
			throw unexpected(sign);
		}
		return true;
	}

	private mayEnd(): boolean {
		return ['valueOrEnd', 'keyOrEnd', 'commaOrEnd'].includes(this.expected);
	}

	private openContainer(sign: string): void {
		if (this.open.length >= MOST_LEVELS) throw tooDeep();
		if (sign === '[') {
			this.open.push({ kind: 'list', list: [] });
			this.expected = 'valueOrEnd';
		} else {
			this.open.push({ kind: 'object', object: {}, key: '' });
			this.expected = 'keyOrEnd';
		}
	}

	private finish(text: string): void {
		this.part = undefined;
		const container = this.open.at(-1);
		if (container?.kind === 'object' && this.expected !== 'value') {
			container.key = String(JSON.parse(text));
			this.expected = 'colon';
		} else {
			this.add(parseJson(text));
		}
	}

	private add(value: JsonValue): void {
		const container = this.open.at(-1);
		if (container === undefined) this.result = value;
		else if (container.kind === 'list') container.list.push(value);
		else define(container.object, container.key, value);
		this.expected = container === undefined ? 'nothing' : 'commaOrEnd';
	}
}

/** Where a part ends in this piece; undefined when it goes on after it. */
function endOfPart(part: Part, piece: string, from: number): number | undefined {
	if (part.isScalar) return indexOf(AFTER_SCALAR, piece, from);
	let at = part.escaped ? from + 1 : from;
	part.escaped = false;
	for (;;) {
		const found = indexOf(part.inString ? QUOTE_OR_ESCAPE : BRACKET_OR_QUOTE, piece, at);
		if (found === undefined) return undefined;
		const sign = piece.charAt(found);
		at = found + 1;
		if (sign === '\\') {
			part.escaped = at >= piece.length;
			at++;
		} else if (sign === '"') {
			part.inString = !part.inString;
		} else {
			part.depth += sign === '[' || sign === '{' ? 1 : -1;
		}
		if (part.depth === 0 && !part.inString) return at;
	}
}

function indexOf(pattern: RegExp, text: string, from: number): number | undefined {
	pattern.lastIndex = from;
	return pattern.exec(text)?.index;
}

/** Sets a member as JSON.parse does, also one that is called `__proto__`. */
function define(object: JsonObject, key: string, value: JsonValue): void {
	if (key !== '__proto__') object[key] = value;
	else {
		Object.defineProperty(object, key, {
			value,
			enumerable: true,
			writable: true,
			configurable: true,
		});
	}
}

function unexpected(sign: string): SyntaxError {
	return new SyntaxError(`Unexpected ${JSON.stringify(sign)} in the JSON`);
}
