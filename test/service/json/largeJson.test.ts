import { isJsonObject, parseJson } from '../../../nodes/BrowserAutomation/service/json/json';
import { JsonReader } from '../../../nodes/BrowserAutomation/service/json/jsonStream';
import { withinCpuTime } from '../../cpuTime';

it.each([
	['one long text', 'x'.repeat(13e6)],
	['a long text of escapes', '"\\\n'.repeat(3e6)],
	['many rows', Array.from({ length: 1e5 }, (_, id) => ({ id, name: `Product ${id}` }))],
])('reads an answer of many megabytes: %s', (_, value) => {
	const text = `{"id":9007199254740993,"value":${JSON.stringify(value)}}`;
	const read = parseJson(text);
	expect(isJsonObject(read) && read.id).toBe('9007199254740993');
	expect(JSON.stringify(read)).toBe(text.replace('9007199254740993', '"9007199254740993"'));
});

it('reads a very long string in linear time', () => {
	const read = withinCpuTime(2, () => {
		const reader = new JsonReader();
		reader.write('["');
		for (let piece = 0; piece < 2000; piece++) reader.write('x'.repeat(16_384));
		reader.write('"]');
		return String(reader.end());
	});
	expect(read.length).toBe(2000 * 16_384);
});
