import { parseContentRange } from '../../nodes/BrowserAutomation/service/contentRange';

it.each([
	['bytes 5-9/10', { start: 5, total: 10 }],
	['bytes 5-9/*', { start: 5, total: undefined }],
	['bytes */10', undefined],
	['items 5-9/10', undefined],
	[undefined, undefined],
])('%j says %j', (header, expected) => {
	expect(parseContentRange(header)).toEqual(expected);
});
