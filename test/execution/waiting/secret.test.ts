import { isSecret, newSecret } from '../../../nodes/BrowserAutomation/execution/waiting/secret';
import { callbackTokenOf } from '../../../nodes/BrowserAutomation/execution/waiting/secret';

it('each item’s callback has a token of its own, in each ledger another', () => {
	const keys = [newSecret(), newSecret()];
	const tokens = keys.flatMap((key) => [0, 1].map((item) => callbackTokenOf(key, item)));
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
