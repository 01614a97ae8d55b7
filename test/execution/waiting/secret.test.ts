import {
	isSecret,
	newSecret,
	nonceOf,
} from '../../../nodes/BrowserAutomation/execution/waiting/secret';

it('each item’s callback has a nonce of its own, in each ledger another', () => {
	const nonces = [newSecret(), newSecret()].flatMap((key) => [nonceOf(key, 0), nonceOf(key, 1)]);
	expect(new Set(nonces).size).toBe(4);
	for (const nonce of nonces) expect(nonce).toMatch(/^[0-9a-f]{32}$/);
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
