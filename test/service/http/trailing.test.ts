import { withoutTrailing } from '../../../nodes/BrowserAutomation/service/http/trailing';

it.each([
	['a//', 'a'],
	['a', 'a'],
	['/a/b', '/a/b'],
	['//', ''],
	['', ''],
])('%j without slashes at its end is %j', (text, expected) => {
	expect(withoutTrailing(text, '/')).toBe(expected);
});
