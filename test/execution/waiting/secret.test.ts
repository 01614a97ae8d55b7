import {
	isSecret,
	newSecret,
	callbackTokenOf,
} from '../../../nodes/BrowserAutomation/execution/waiting/secret';

it('each item’s callback has a token of its own, in each ledger another', () => {
	const tokens = [newSecret(), newSecret()].flatMap((key) => [
		callbackTokenOf(key, 0),
		callbackTokenOf(key, 1),
	]);
	expect(new Set(tokens).size).toBe(4);
	for (const token of tokens) expect(token).toMatch(/^[0-9a-f]{32}$/);
});

it.each([
	['the secret', 'abc', true],
	['another text of its length', 'abd', false],
	['its beginning', 'ab', false],
	['as many letters of more bytes', 'abé', false],
	['what is no text', ['abc'], false],
	['nothing', undefined, false],
])('whether %s is the secret', (_, given, expected) => {
	expect(isSecret(given, 'abc')).toBe(expected);
});
