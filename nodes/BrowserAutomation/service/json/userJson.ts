import { InputError } from '../errors';
import { parseJson, type JsonValue } from './json';

/** What to do about a number that is not exact. */
export const GIVE_AS_TEXT = 'Give it as text, in quotes, so that no digit is lost.';

const DIGITS_SHOWN = 40;

/**
 * Reads JSON text of a user, who would not expect a number to be changed on its way.
 *
 * @param label the name of the field, for the message
 * @throws SyntaxError when the text is not JSON, or nests too deep
 * @throws InputError for an integer that a number cannot hold exactly, or a number too large for any
 */
export function parseUserJson(text: string, label: string): JsonValue {
	return parseJson(text, (digits) => {
		const shown = digits.length > DIGITS_SHOWN ? `${digits.slice(0, DIGITS_SHOWN)}…` : digits;
		throw new InputError(`${label} holds ${shown}, which is not exact as a number`, GIVE_AS_TEXT);
	});
}
