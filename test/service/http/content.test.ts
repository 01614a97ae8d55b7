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
		const content = readContent(answer('{"a":', 'application/json'));
		expect(content).toEqual({ kind: 'text', text: '{"a":' });
	});

	it.each([
		[Buffer.from([0xe4]), 'text/plain; charset="iso-8859-1"'],
		[Buffer.from([0xe4]), 'text/plain; Charset=iso-8859-1; format=flowed'],
		['ä', 'text/html; charset=nonsense'],
		['ä', 'application/atom+xml'],
	])('is text in the character set that is named: %s', (body, type) => {
		expect(readContent(answer(body, type))).toEqual({ kind: 'text', text: 'ä' });
	});

	it('is a file for anything else, without folders in its name', () => {
		const disposition = 'attachment; filename="../../a b.tar.gz"';
		const file = { kind: 'file', mimeType: 'application/gzip', fileName: 'a b.tar.gz' };
		expect(readContent(answer('x', 'application/gzip', disposition))).toEqual(file);
		const unknown = { kind: 'file', mimeType: 'application/octet-stream', fileName: 'file' };
		expect(readContent(answer('x'))).toEqual(unknown);
		expect(readContent(answer('<a/>', 'image/svg+xml')).kind).toBe('file');
	});
});

describe('forwarded answers', () => {
	const envelope = { code: 7, msg: 'no', data: null, ts: 1, time: '2026-01-01', traceId: 't' };

	it('are refusals with any other status than success', () => {
		const refused = [199, 200, 204, 299, 300, 302, 400].filter((status) =>
			isRefused(answer('', undefined, undefined, status)),
		);
		expect(refused).toEqual([199, 300, 302, 400]);
	});

	it('are refusals with the whole error envelope, whatever the status', () => {
		const refused = (body: object, type = 'application/json'): boolean =>
			isRefused(answer(JSON.stringify(body), type));
		expect([refused(envelope), refused(envelope, 'text/plain')]).toEqual([true, false]);
		for (const mine of [{ code: 0 }, { data: {} }, { code: '7' }, { ts: undefined }]) {
			expect(refused({ ...envelope, ...mine })).toBe(false);
		}
		expect([refused({ code: 7, msg: 'mine' }), refused([])]).toEqual([false, false]);
	});
});
