import { fullyDecoded } from '../../../nodes/BrowserAutomation/service/http/percentCodes';

it.each([
	['a/b', 'a/b'],
	['%2e%2E', '..'],
	['%252e', '.'],
	['%25252525252e', '.'],
	['100%', '100%'],
	['%2', '%2'],
	['%%32%65', '.'],
	['%%%32%35%32%65', '%.'],
])('%s is read as %s in the end', (text, expected) => {
	expect(fullyDecoded(text)).toBe(expected);
});

it('percent codes within codes are resolved a few times only', () => {
	const within = (text: string) =>
		text.replace(/[0-9a-f]/g, (sign) => `%${sign.charCodeAt(0).toString(16)}`);
	let text = '%2e';
	expect(fullyDecoded(text)).toBe('.');
	for (let level = 0; level < 2; level++) text = within(text);
	expect(fullyDecoded(text)).toBe('.');
	for (let level = 0; level < 3; level++) text = within(text);
	expect(fullyDecoded(text)).toBeUndefined();
});
