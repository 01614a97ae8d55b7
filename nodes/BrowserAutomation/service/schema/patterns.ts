import type { Budget } from './budget';

/** Text that every dialect of regular expressions reads alike: no letters beyond ASCII, no line breaks. */
const PLAIN_TEXT = /^[ -~]*$/;

/** What means the same in every dialect: characters, short classes, groups that are not repeated, counts. */
const PLAIN_PATTERN =
	/^(?:[$^|]|\(\?:|\((?!\?)|\)(?![*+?{])|(?:[\w "#%&',/:;<=>@~!`-]|\.|\\[dwsDWS./+*?()|[\]{}^$\\-]|\[\^?(?:\w-\w|[\w .,:;@%*+?/=]|\\[dws./-])+-?\])(?:(?:[*+?]|\{\d{1,3}(?:,\d{0,3})?\})\??)?)*$/;

const PATTERN_MAX_LENGTH = 300;

/** The most ways through a pattern that are tried for one text: some patterns take for ever. */
const MOST_WAYS = 200_000;

/**
 * Whether a regular expression is found in a text. The language of the service is not known, so one is
 * only tried that is read alike in all of them.
 *
 * @param ways how many ways through patterns may still be tried
 * @returns undefined where it is left to the service
 */
export function isFound(source: string, text: string, ways: Budget): boolean | undefined {
	if (source.length > PATTERN_MAX_LENGTH) return undefined;
	if (!PLAIN_PATTERN.test(source) || !PLAIN_TEXT.test(text)) return undefined;
	const outline = source.replace(/\\.|\[.*?\]/g, 'x').replaceAll('(?:', '(');
	const forks = outline.match(/\|/g)?.length ?? 0;
	const counts = outline.match(/[*+?]\??|,\d*\}\??/g)?.length ?? 0;
	const places = outline.startsWith('^') && forks === 0 ? counts : counts + 1;
	const most = (text.length + 1) ** places * 2 ** forks;
	if (most > MOST_WAYS) return undefined;
	return ways.tryTo(() => {
		ways.spend(most);
		return tryToFind(source, text);
	});
}

function tryToFind(source: string, text: string): boolean | undefined {
	try {
		return new RegExp(source).test(text);
	} catch {
		return undefined;
	}
}
