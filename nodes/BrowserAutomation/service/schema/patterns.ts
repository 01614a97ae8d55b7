import { Budget } from './budget';

/** A regular expression that takes a time in proportion to the text, whatever it is. */
export interface Pattern {
	/** Whether it is found in a text; undefined for a text that is too long to look. */
	isIn(text: string, budget: Budget): boolean | undefined;
}

/** The longest pattern that is read. */
export const PATTERN_MAX_LENGTH = 1_000;

const TEXT_MAX_LENGTH = 10_000;
const MOST_STATES = 2_000;

/** States that are visited in about the time of one step. */
const STATES_A_STEP = 4;

/** A place within a pattern. */
interface State {
	/** Whether it takes a character. Without this it is passed by itself. */
	takes?: (character: string) => boolean;
	/** Whether it can be passed between two characters, of which one may be missing. */
	holds?: (before: string | undefined, after: string | undefined) => boolean;
	next: State[];
}

/** Makes the states of a part of a pattern, which lead on to the given one. */
type Part = (next: State, states: Budget) => State;

/**
 * A regular expression of a schema (ECMA-262, Unicode where it allows that). It is not matched by
 * trying one way after the other, which can take for ever, but by following all ways at once.
 *
 * @returns undefined for what is no regular expression, is very long, or looks around or back:
 * lookahead, lookbehind, back references
 */
export function toPattern(source: string): Pattern | undefined {
	if (source.length > PATTERN_MAX_LENGTH) return undefined;
	const flags = ['u', ''].find((candidate) => isRegExp(source, candidate));
	if (flags === undefined) return undefined;
	const part = new Reader(source, flags).read();
	if (part === undefined) return undefined;
	const end: State = { next: [] };
	const states = new Budget(MOST_STATES);
	const start = states.tryTo(() => part(end, states));
	if (start === undefined) return undefined;
	return {
		isIn: (text, budget) => {
			if (text.length > TEXT_MAX_LENGTH) return undefined;
			return isFound(start, end, flags === 'u' ? Array.from(text) : text.split(''), budget);
		},
	};
}

function isRegExp(source: string, flags: string): boolean {
	try {
		return new RegExp(source, flags).source !== '';
	} catch {
		return false;
	}
}

/** Follows all ways through the states at once (Thompson). */
function isFound(start: State, end: State, characters: string[], budget: Budget): boolean {
	let reached = new Set<State>();
	for (let at = 0; at <= characters.length; at++) {
		const here = new Set<State>();
		const open = [start, ...reached];
		for (let state = open.pop(); state !== undefined; state = open.pop()) {
			if (here.has(state)) continue;
			here.add(state);
			if (state === end) return true;
			if (state.takes !== undefined) continue;
			if (state.holds?.(characters[at - 1], characters[at]) === false) continue;
			for (const next of state.next) open.push(next);
		}
		budget.spend(1 + here.size / STATES_A_STEP);
		reached = new Set();
		const character = characters[at];
		if (character === undefined) break;
		for (const { takes, next } of here) {
			if (takes?.(character) === true) for (const state of next) reached.add(state);
		}
	}
	return false;
}

function newState(states: Budget, state: State): State {
	states.spend(1);
	return state;
}

function sequence(parts: Part[]): Part {
	return (next, states) => parts.reduceRight((after, part) => part(after, states), next);
}

function anyOf(parts: Part[]): Part {
	const [only] = parts;
	if (only !== undefined && parts.length === 1) return only;
	return (next, states) => newState(states, { next: parts.map((part) => part(next, states)) });
}

function repeated(part: Part, least: number, most: number): Part {
	return (next, states) => {
		let first = next;
		if (most === Infinity) {
			first = newState(states, { next: [next] });
			first.next.push(part(first, states));
		}
		for (let more = least; more < most && most !== Infinity; more++) {
			first = newState(states, { next: [next, part(first, states)] });
		}
		for (let times = 0; times < least; times++) {
			states.spend(1);
			first = part(first, states);
		}
		return first;
	};
}

const WORD = /^\w$/;

function isWord(character: string | undefined): boolean {
	return character !== undefined && WORD.test(character);
}

const BOUNDARIES: Record<string, NonNullable<State['holds']>> = {
	'^': (before) => before === undefined,
	$: (_, after) => after === undefined,
	'\\b': (before, after) => isWord(before) !== isWord(after),
	'\\B': (before, after) => isWord(before) === isWord(after),
};

function boundary(holds: NonNullable<State['holds']>): Part {
	return (next, states) => newState(states, { holds, next: [next] });
}

/** What takes one character: the character itself, an escape, a class or a dot. */
function character(source: string, flags: string): Part {
	const takes = takerOf(source, flags);
	return (next, states) => newState(states, { takes, next: [next] });
}

function takerOf(source: string, flags: string): NonNullable<State['takes']> {
	if (!/^[\\[.]/.test(source)) return (given) => given === source;
	const pattern = new RegExp(`^${source}$`, flags);
	const known = new Map<string, boolean>();
	return (given) => {
		const found = known.get(given) ?? pattern.test(given);
		known.set(given, found);
		return found;
	};
}

/** What stands for one character in a pattern, from a place on. Some escapes mean nothing without the flag u. */
const CHARACTERS: Record<string, RegExp> = {
	u: /\[(?:\\.|[^\]\\])*\]|\\(?:u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}|u\{[\da-fA-F]+\}|u[\da-fA-F]{4}|x[\da-fA-F]{2}|c[a-zA-Z]|[pP]\{[^}]*\}|[^1-9bBcCkuxpP])|[^\\()|*+?^$[\]{}]/suy,
	'': /\[(?:\\.|[^\]\\])*\]|\\(?:u[\da-fA-F]{4}|x[\da-fA-F]{2}|[^\dbBcCkux]|0(?!\d))|[^\\()|*+?^$[]/sy,
};

const QUANTIFIER = /(?:([*+?])|\{(\d+)(,?)(\d*)\})\??/y;
const GROUP = /\((?:\?:|\?<[^=!][^>]*>|(?!\?))/y;
const BOUNDARY = /[$^]|\\[bB]/y;

/** Reads a pattern that is a regular expression. What is not understood ends the reading. */
class Reader {
	private at = 0;

	constructor(
		private readonly source: string,
		private readonly flags: string,
	) {}

	read(): Part | undefined {
		const part = this.alternatives();
		return this.at === this.source.length ? part : undefined;
	}

	private alternatives(): Part | undefined {
		const parts: Part[] = [];
		do {
			const part = this.terms();
			if (part === undefined) return undefined;
			parts.push(part);
		} while (this.take(/\|/y) !== undefined);
		return anyOf(parts);
	}

	private terms(): Part | undefined {
		const parts: Part[] = [];
		while (this.at < this.source.length && !'|)'.includes(this.source.charAt(this.at))) {
			const part = this.term();
			if (part === undefined) return undefined;
			parts.push(part);
		}
		return sequence(parts);
	}

	private term(): Part | undefined {
		const edge = this.take(BOUNDARY)?.[0];
		const holds = edge === undefined ? undefined : BOUNDARIES[edge];
		if (holds !== undefined) return boundary(holds);
		const part = this.atom();
		return part === undefined ? undefined : this.quantified(part);
	}

	private atom(): Part | undefined {
		if (this.take(GROUP) !== undefined) {
			const part = this.alternatives();
			return this.take(/\)/y) === undefined ? undefined : part;
		}
		const found = this.take(CHARACTERS[this.flags] ?? /$^/y)?.[0];
		return found === undefined ? undefined : character(found, this.flags);
	}

	private quantified(part: Part): Part {
		const found = this.take(QUANTIFIER);
		if (found === undefined) return part;
		const [, sign, least = '', comma, most = ''] = found;
		if (sign === '?') return repeated(part, 0, 1);
		if (sign !== undefined) return repeated(part, sign === '+' ? 1 : 0, Infinity);
		if (comma === '') return repeated(part, Number(least), Number(least));
		return repeated(part, Number(least), most === '' ? Infinity : Number(most));
	}

	private take(what: RegExp): RegExpExecArray | undefined {
		what.lastIndex = this.at;
		const found = what.exec(this.source);
		if (found === null) return undefined;
		this.at = what.lastIndex;
		return found;
	}
}
