import { isRefused, readContent } from '../../../nodes/BrowserAutomation/service/http/content';

function answer(body: string | Buffer, contentType?: string, disposition?: string, status = 200) {
	const headers = { 'content-type': contentType, 'content-disposition': disposition };
	return { status, headers, bytes: Buffer.from(body) };
}

describe('the content of an answer', () => {
	it.each([
		'application/json',
		'Application/JSON; charset=utf-8',
		'application/json ; charset=utf-8',
		'application/problem+json',
	])('is JSON for %s', (type) => {
		const content = readContent(answer('{"id":9007199254740993}', type));
		expect(content).toEqual({ kind: 'json', value: { id: '9007199254740993' } });
	});

	it('is text where the JSON is broken', () => {
		expect(readContent(answer('{"a":', 'application/json'))).toEqual({
			kind: 'text',
			text: '{"a":',
		});
	});

	it('is text in the character set that is named', () => {
		const latin = Buffer.from([0xe4]);
		expect(readContent(answer(latin, 'text/plain; charset="iso-8859-1"'))).toEqual({
			kind: 'text',
			text: 'ä',
		});
		expect(readContent(answer('ä', 'text/html; charset=nonsense'))).toEqual({
			kind: 'text',
			text: 'ä',
		});
		expect(readContent(answer(latin, 'text/plain; Charset=iso-8859-1; format=flowed'))).toEqual({
			kind: 'text',
			text: 'ä',
		});
		expect(readContent(answer('<a/>', 'image/svg+xml')).kind).toBe('file');
		expect(readContent(answer('<a/>', 'application/atom+xml')).kind).toBe('text');
	});

	it('is a file for anything else, without folders in its name', () => {
		const disposition = 'attachment; filename="../../a b.tar.gz"';
		expect(readContent(answer('x', 'application/gzip', disposition))).toEqual({
			kind: 'file',
			mimeType: 'application/gzip',
			fileName: 'a b.tar.gz',
		});
		expect(readContent(answer('x'))).toEqual({
			kind: 'file',
			mimeType: 'application/octet-stream',
			fileName: 'file',
		});
	});

	it('is nothing where there are no bytes', () => {
		expect(readContent(answer('', 'application/json'))).toEqual({ kind: 'none' });
	});
});

describe('forwarded answers', () => {
	const envelope = { code: 7, msg: 'no', data: null, ts: 1, time: '2026-01-01', traceId: 't' };

	it('are refusals with any other status than success', () => {
		expect(isRefused(answer('', undefined, undefined, 400))).toBe(true);
		expect(isRefused(answer('', undefined, undefined, 302))).toBe(true);
		expect(isRefused(answer('', undefined, undefined, 300))).toBe(true);
		expect(isRefused(answer('', undefined, undefined, 199))).toBe(true);
		expect(isRefused(answer('', undefined, undefined, 200))).toBe(false);
		expect(isRefused(answer('', undefined, undefined, 204))).toBe(false);
	});

	it('are refusals with the whole error envelope, whatever the status', () => {
		const type = 'application/json';
		expect(isRefused(answer(JSON.stringify(envelope), type))).toBe(true);
		expect(isRefused(answer(JSON.stringify({ ...envelope, code: 0 }), type))).toBe(false);
		expect(isRefused(answer(JSON.stringify({ code: 7, msg: 'mine' }), type))).toBe(false);
		expect(isRefused(answer(JSON.stringify(envelope), 'text/plain'))).toBe(false);
		expect(isRefused(answer('[]', type))).toBe(false);
		for (const mine of [{ data: {} }, { code: '7' }, { code: null }, { ts: undefined }]) {
			expect(isRefused(answer(JSON.stringify({ ...envelope, ...mine }), type))).toBe(false);
		}
	});
});
