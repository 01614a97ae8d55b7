import type { JsonObject } from '../../../nodes/BrowserAutomation/service/json/json';
import { filesOf, isExpired, nameIn } from '../../../nodes/BrowserAutomation/service/files/files';

describe('the files of a run (V3)', () => {
	const run = {
		task_id: '9',
		output_files: {
			json: { file_name: 'result.json', file_size: 12, download_url: 'https://f.example/a.json' },
			csv: { file_name: 'result.csv', file_size: '34', download_url: 'https://f.example/a.csv' },
			xlsx: { file_name: 'result.xlsx', download_url: 'https://f.example/a.xlsx' },
		},
		download_files: [
			{
				guid: 'g1',
				file_name: 'invoice.pdf',
				file_size: 56,
				status: 'completed',
				download_url: 'https://f.example/invoice.pdf',
				expires_at: 1_800_000_000_000,
			},
			{ guid: 'g2', file_name: 'late.pdf', status: 'running', progress: 40 },
			{ guid: 'g3', file_name: 'gone.pdf', status: 'failed', error_message: 'disk full' },
		],
		files_expires_at: 1_700_000_000_000,
	};

	it('are result files by format, then generated files by number, with why there is no link', () => {
		const found = filesOf(run);
		expect(found.map(({ key, group, name, size }) => [key, group, name, size])).toEqual([
			['json', 'json', 'result.json', 12],
			['csv', 'csv', 'result.csv', 34],
			['xlsx', 'other', 'result.xlsx', undefined],
			['file_1', 'other', 'invoice.pdf', 56],
			['file_2', 'other', 'late.pdf', undefined],
			['file_3', 'other', 'gone.pdf', undefined],
		]);
		const obstacles = found.map(({ obstacle }) => obstacle ?? 'none');
		expect(obstacles).toEqual(['none', 'none', 'none', 'none', 'running', 'disk full']);
	});

	it('have no key that means something else to JavaScript', () => {
		const text = '{"output_files":{"__proto__":{"download_url":"https://f.example/p"}}}';
		const hostile: JsonObject = JSON.parse(text);

		expect(filesOf(hostile).map(({ key, url }) => [key, url])).toEqual([
			['file_1', 'https://f.example/p'],
		]);
	});

	it.each([1_800_000_000_000, 1_800_000_000, '2027-01-15T08:00:00Z'])(
		'expire at a moment given in milliseconds, in seconds or as a date: %s',
		(moment) => {
			const [json] = filesOf({ ...run, files_expires_at: moment });
			expect(json?.expiresAt).toBe(1_800_000_000_000);
		},
	);

	it('expire when the file says so, else when the run says so', () => {
		const [json, , , invoice] = filesOf(run);
		expect(json?.expiresAt).toBe(1_700_000_000_000);
		expect(invoice?.expiresAt).toBe(1_800_000_000_000);
		expect(json && isExpired(json, 1_700_000_000_000)).toBe(true);
		expect(json && isExpired(json, 1_699_999_999_999)).toBe(false);
	});

	it('come once, when a result file is also listed as generated', () => {
		const json = { file_name: 'a.json', download_url: 'https://f.example/a.json' };
		const twice = { output_files: { json }, download_files: [json] };
		expect(filesOf(twice).map(({ key }) => key)).toEqual(['json']);
	});

	it('may be links alone, and have no size that is none', () => {
		const json = { download_url: 'https://f.example/a.json', file_size: 0 };
		const output_files = { csv: 'https://f.example/a.csv', json, md: null };
		expect(filesOf({ output_files, download_files: 'none' })).toEqual([
			expect.objectContaining({ key: 'csv', group: 'csv', url: 'https://f.example/a.csv' }),
			expect.objectContaining({ key: 'json', size: undefined }),
			{ key: 'md', group: 'md', expiresAt: undefined },
		]);
	});

	it('generated without a link are all kept', () => {
		const record = { status: 'running' };
		const found = filesOf({ output_files: { md: {} }, download_files: [record, record] });
		expect(found.map(({ key }) => key)).toEqual(['md', 'file_1', 'file_2']);
	});

	it('each have a key of their own, however alike the names of their formats are', () => {
		const names = ['csv', 'CSV', 'A.B-c', 'a_b_c', 'file_1'];
		const alike = {
			output_files: Object.fromEntries(names.map((name) => [name, `https://f.example/${name}`])),
			download_files: [{ download_url: 'https://f.example/generated' }],
		};
		expect(filesOf(alike).map(({ key, url }) => [key, url?.split('/').at(-1)])).toEqual([
			['csv', 'csv'],
			['a_b_c', 'A.B-c'],
			['file_1', 'CSV'],
			['file_2', 'a_b_c'],
			['file_3', 'file_1'],
			['file_4', 'generated'],
		]);
	});
});

describe('the files of a task (V2)', () => {
	it('are links by their ending, then generated files in camel case', () => {
		const names = ['result.CSV?sig=1', 'shot.png', 'result.json?sig=2', 'more.json'];
		const invoice = {
			fileName: 'invoice.pdf',
			fileSize: 5,
			downloadUrl: 'https://f.example/i.pdf',
		};
		const [generated, output] = [1_700_000_000_007, 1_700_000_000_008];
		const task = {
			id: '9',
			output: { string: '[]', files: names.map((name) => `https://f.example/9/${name}`) },
			download_files: [{ ...invoice, expiresAt: generated }],
			files_expires_at: output,
		};
		expect(filesOf(task)).toMatchObject([
			{ key: 'csv', group: 'csv', name: 'result.CSV', expiresAt: output },
			{ key: 'json', group: 'json', name: 'result.json', expiresAt: output },
			{ key: 'file_1', group: 'other', name: 'shot.png' },
			{ key: 'file_2', group: 'other', name: 'more.json' },
			{ key: 'file_3', group: 'other', name: 'invoice.pdf', size: 5, expiresAt: generated },
		]);
	});

	it('may be links without a name', () => {
		const [file] = filesOf({ id: '9', output: { files: ['https://f.example/?id=1'] } });
		expect(file).toMatchObject({ key: 'file_1', name: undefined, url: 'https://f.example/?id=1' });
	});

	it('are none where the output has no list of links', () => {
		for (const output of [{ files: null }, { files: [null, 7] }, 'text']) {
			expect(filesOf({ id: '9', output })).toEqual([]);
		}
	});

	it('are not read from the output of a V3 run that happens to have a field "files"', () => {
		expect(filesOf({ task_id: '9', output: { files: ['https://f.example/a.json'] } })).toEqual([]);
	});
});

it('a name in a link is decoded, and missing where the path has none', () => {
	expect(nameIn('https://f.example/a/r%C3%A9sum%C3%A9.pdf?x=1')).toBe('résumé.pdf');
	expect(nameIn('https://f.example/a/100%')).toBe('100%');
	expect(nameIn('https://f.example/')).toBeUndefined();
	expect(nameIn('no url')).toBeUndefined();
});
