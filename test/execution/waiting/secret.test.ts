import {
	isSecret,
	newSecret,
	nonceOf,
} from '../../../nodes/BrowserAutomation/execution/waiting/secret';

it('the nonce of an item’s callback is the same each time, and another one for each item and ledger', () => {
	const [one, other] = [newSecret(), newSecret()];
	const nonces = [nonceOf(one, 0), nonceOf(one, 1), nonceOf(other, 0), nonceOf(other, 1)];

	expect(nonceOf(one, 0)).toBe(nonces[0]);
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
