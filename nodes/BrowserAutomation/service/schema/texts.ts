import { CHARACTERS_A_STEP } from './equality';
import { FORMATS } from './formats';
import type { Judgement, Keyword } from './keyword';
import { shorten, shownValue } from './wording';

const PATTERN_SHOWN = 200;

/** The longest text of which the format is checked. */
const FORMAT_MAX_LENGTH = 10_000;

/** Length in characters as people count them, not in UTF-16 units. */
function lengthOf(text: string, { budget }: Judgement): number {
	budget.spend(text.length / CHARACTERS_A_STEP);
	return text.length - (text.match(/[\ud800-\udbff][\udc00-\udfff]/g)?.length ?? 0);
}

const minLength: Keyword = (demand, value, judgement) => {
	if (typeof value !== 'string' || typeof demand !== 'number') return [];
	if (value.length >= 2 * demand || lengthOf(value, judgement) >= demand) return [];
	return judgement.wrong(
		value === '' ? 'is empty' : `is shorter than ${counted(demand, 'character')}`,
	);
};

const maxLength: Keyword = (demand, value, judgement) => {
	if (typeof value !== 'string' || typeof demand !== 'number') return [];
	if (value.length <= demand) return [];
	if (value.length <= 2 * demand && lengthOf(value, judgement) <= demand) return [];
	return judgement.wrong(`is longer than ${counted(demand, 'character')}`);
};

/** A count with its noun, e.g. "1 item", "2 items". */
export function counted(count: number, noun: string): string {
	return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

const pattern: Keyword = (demand, value, { schema, wrong, matches }) => {
	if (typeof value !== 'string' || matches(demand, value) !== false) return [];
	const source = shorten(String(demand), PATTERN_SHOWN);
	return wrong(`is ${shownValue(value, schema)}, which does not match the pattern ${source}`);
};

const format: Keyword = (demand, value, { schema, wrong, budget }) => {
	if (typeof value !== 'string' || typeof demand !== 'string') return [];
	if (value.length > FORMAT_MAX_LENGTH) return [];
	budget.spend(value.length / CHARACTERS_A_STEP);
	const known = Object.hasOwn(FORMATS, demand) ? FORMATS[demand] : undefined;
	if (known === undefined || known.fits(value)) return [];
	return wrong(`is ${shownValue(value, schema)}, not ${known.words}`);
};

/** Keywords for text. */
export const TEXT_KEYWORDS: Record<string, Keyword> = { minLength, maxLength, pattern, format };
