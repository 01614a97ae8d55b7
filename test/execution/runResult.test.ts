import { gzipSync } from 'node:zlib';
import type { IDataObject, INodeExecutionData, INodeParameters } from 'n8n-workflow';
import type { JsonObject } from '../../nodes/BrowserAutomation/service/json/json';
import { JsonReader } from '../../nodes/BrowserAutomation/service/json/jsonStream';
import type { Run } from '../core/harness';
import { apiCredential, forAllTests, type Handler } from '../fixture';
import { FilesFixture } from './files/filesFixture';
import { inTurn, sending, serving } from './files/fileStore';
import { until } from '../timeLapse';

const fixture = forAllTests(new FilesFixture());
const { service, store } = fixture;

beforeEach(() => fixture.reset());

async function resultOf(
	run: JsonObject,
	output: string,
	files: INodeParameters = {},
	resource = 'run',
	limits: IDataObject = {},
): Promise<Run & { items: INodeExecutionData[] }> {
	service.answerWith(serving(() => run));
	const login = { url: service.url, key: FilesFixture.KEY };
	const credentials = apiCredential(login, limits);
	const result = await fixture.run('get', { resource, output, files }, { credentials });
	return { ...result, items: result.outputs[0] ?? [] };
}

const ROWS = Array.from({ length: 20_000 }, (_, index) => ({
	id: index,
	name: `Artikel „${index}“ – ünïcode`,
	price: index / 4,
	tags: ['a', { b: '}]"\\' }],
}));

describe('an output that is too large for the run', () => {
	const file = (): JsonObject => ({
		json: { file_name: 'result.json', download_url: `${store.url}/result.json` },
	});
	const refusing: Handler = (_, response) => void response.writeHead(402).end();
	const large = (): JsonObject => ({ task_id: '9001', status: 'finished', output_files: file() });

	it('becomes the output of a simplified run, even over a broken connection', async () => {
		const output = { products: ROWS, count: ROWS.length };
		const bytes = Buffer.from(JSON.stringify(output));
		store.answerWith(inTurn(sending(bytes, {}, 700_001), sending(bytes)));
		const { items } = await resultOf(large(), 'simplified');
		expect(items.map(({ json }) => json)).toEqual([{ ...large(), output }]);
	});

	it.each([
		['JSON Lines', '{"a":["x"]}\n{"a":[]}\n'],
		['a block of code', '```json\n[{"a":["x"]},{"a":[]}]\n```'],
		['JSON in JSON', JSON.stringify('[{"a":["x"]},{"a":[]}]')],
		['a byte order mark', '\uFEFF[{"\uFEFFa":["x"]},{"a":[]}]'],
	])('becomes rows where its file has %s', async (_, text) => {
		store.answerWith(sending(Buffer.from(text)));
		const { items } = await resultOf(large(), 'rows');
		expect(items.map(({ json }) => json)).toEqual([{ a: ['x'] }, { a: [] }]);
	});

	it.each([
		['', 'without output'],
		['a,b', 'Default Output Format'],
	])('that is only %j comes with a hint', async (text, hint) => {
		store.answerWith(sending(Buffer.from(text)));
		const { items, hints } = await resultOf(large(), 'rows');
		expect(items).toHaveLength(1);
		expect(hints.map(({ message }) => message)).toEqual([expect.stringContaining(hint)]);
	});

	it.each([null, '', ' \n'])('is read of V2 tasks, whose links stay, beside %j', async (string) => {
		store.answerWith(sending(Buffer.from('[{"a":1}]')));
		const link = `${store.url}/result.json`;
		const task = { id: '9001', status: 'finished', output: { string, files: [link] } };
		const { items } = await resultOf(task, 'simplified', {}, 'task');
		expect(items[0]?.json).toMatchObject({
			task_id: '9001',
			output: [{ a: 1 }],
			output_files: { json: { download_url: link } },
		});
		const rows = await resultOf(task, 'rows', {}, 'task');
		expect(rows.items.map(({ json }) => json)).toEqual([{ a: 1 }]);
	});

	it.each<JsonObject['']>(['', '\n', { string: '', files: null }])(
		'is read where the run has only %j',
		async (output) => {
			store.answerWith(sending(Buffer.from('[{"a":1}]')));
			const { items } = await resultOf({ ...large(), output: output ?? null }, 'rows');
			expect(items.map(({ json }) => json)).toEqual([{ a: 1 }]);
		},
	);

	const csv = { file_name: 'result.csv', download_url: 'https://example.com/result.csv' };

	it.each<[string, string, JsonObject, JsonObject | undefined]>([
		['Raw leaves it behind its link', 'raw', {}, undefined],
		['the run failed', 'rows', { status: 'failed' }, undefined],
		['the run has its output', 'rows', { output: [{ a: 1 }] }, { a: 1 }],
		['there is only a file of another type', 'simplified', { output_files: { csv } }, undefined],
	])('is not read where %s', async (_, output, further, expected) => {
		const run = { ...large(), ...further };
		const { items, error } = await resultOf(run, output);
		expect(error).toBeUndefined();
		expect(items.map(({ json }) => json)).toEqual([expected ?? run]);
		expect(store.received).toEqual([]);
	});

	it.each<[string, Handler, string]>([
		['cannot be had', refusing, 'its server answered with HTTP status 402'],
		['is not JSON', sending(Buffer.from('[{"a":1},')), 'it is not JSON: The JSON ends too early'],
	])('is named when it %s', async (_, answer, reason) => {
		store.answerWith(answer);
		const { error } = await resultOf(large(), 'rows');
		const said = `The file "result.json" of run 9001 could not be downloaded: ${reason}`;
		expect(error?.message).toBe(said);
	});

	it('is read as it comes in where its size is known: what is no JSON ends the download', async () => {
		store.answerWith((_, response) => {
			response.writeHead(200, { 'content-length': 900_000 });
			response.write(`[${'{"a":1},'.repeat(40_000)}}`);
		});
		const { error } = await resultOf(large(), 'rows', {}, 'run', { maxResponseSize: 1 });
		expect(error?.message).toContain('it is not JSON');
		await until(() => store.broken > 0, 'the end of the connection');
	});

	/** More than 1 MB, which is no JSON from its second eighth on. */
	const BROKEN = Buffer.from(`[${'{"a":1},'.repeat(20_000)}}${' '.repeat(1024 ** 2)}`);
	const packed = gzipSync(BROKEN);

	it.each<[string, Handler]>([
		['is not told', (_, response) => void response.writeHead(200).end(BROKEN)],
		['is told of it packed', sending(packed, { 'content-encoding': 'gzip' })],
	])('is read in its first eighth alone as it comes in where its size %s', async (_, answer) => {
		store.answerWith(answer);
		const { error } = await resultOf(large(), 'rows', {}, 'run', { maxResponseSize: 1 });
		expect(error?.message).toContain('it is larger than 1 MB');
		expect(error?.description).toContain("Raise 'Max Response Size (MB)'");
	});

	it('gives n8n its turns while the rest of it is read', async () => {
		const { write } = JsonReader.prototype;
		const turns: number[] = [];
		let turn = 0;
		let ticking = setImmediate(function tick() {
			turn++;
			ticking = setImmediate(tick);
		});
		jest.spyOn(JsonReader.prototype, 'write').mockImplementation(function (this: JsonReader, text) {
			if (text.length >= 1024 ** 2) turns.push(turn);
			write.call(this, text);
		});
		const output = 'a'.repeat(5 * 1024 ** 2);
		store.answerWith((_, response) => void response.writeHead(200).end(JSON.stringify(output)));
		const { items } = await resultOf(large(), 'simplified', {}, 'run', { maxResponseSize: 8 });
		clearImmediate(ticking);
		jest.restoreAllMocks();

		expect(items).toMatchObject([{ json: { output } }]);
		expect(turns.length).toBeGreaterThan(2);
		expect(new Set(turns).size).toBe(turns.length);
	});
});

describe('the option Download Files', () => {
	const run = (output: JsonObject['']): JsonObject => ({
		task_id: '9001',
		status: 'finished',
		output: output ?? null,
		output_files: { csv: { file_name: 'result.csv', download_url: `${store.url}/result.csv` } },
	});
	const LISTED = [{ name: 'result.csv', size: 3, mime_type: 'text/csv', property: 'csv' }];

	beforeEach(() => store.answerWith(sending(Buffer.from('a;b'))));

	it('adds the files to a simplified run and lists them', async () => {
		const { items } = await resultOf(run('Done'), 'simplified', { downloadFiles: ['csv'] });
		expect(items[0]?.json).toMatchObject({ task_id: '9001', output: 'Done', files: LISTED });
		expect(items[0]?.binary?.csv).toMatchObject({ fileName: 'result.csv', mimeType: 'text/csv' });
	});

	const FIRST_ROW = 'The files are on the first row of each run.';
	const [ONE, TWO] = [[{ a: 1 }], [{ a: 1 }, { a: 2 }]];
	const NO_ROW = { task_id: '9001', status: 'finished', files: LISTED };
	const noLink = expect.stringMatching(/lost.pdf.* no link to it \(failed\)$/);
	const LOST = { name: 'lost.pdf', error: noLink };
	const lost = { download_files: [{ file_name: 'lost.pdf', status: 'failed' }] };
	const listing = { ifFileFails: 'continue' };
	const xml = { downloadFiles: ['xml'] };

	it.each<[string, JsonObject[], INodeParameters, JsonObject, unknown[], string[], boolean]>([
		['on the first row', TWO, {}, {}, TWO, ['csv'], true],
		['on the only row', ONE, {}, {}, ONE, ['csv'], false],
		['on no row', TWO, xml, {}, TWO, [], false],
		['on an item of their own, without rows', [], {}, {}, [NO_ROW], ['csv'], false],
		['nowhere, with neither rows nor files', [], xml, {}, [], [], false],
		['without a list, as none is missing', ONE, listing, {}, ONE, ['csv'], false],
		['with a list', ONE, listing, lost, [{ a: 1, files: [...LISTED, LOST] }], ['csv'], false],
	])('adds the files %s', async (_, rows, files, further, expected, fields, isHinted) => {
		const options = { downloadFiles: ['csv', 'other'], ...files };
		const { items, hints, error } = await resultOf({ ...run(rows), ...further }, 'rows', options);
		expect(error).toBeUndefined();
		expect(items.map(({ json }) => json)).toEqual(expected);
		const binary = items.map((item) => Object.keys(item.binary ?? {}));
		expect(binary).toEqual(items.map((__, index) => (index === 0 ? fields : [])));
		expect(hints.some(({ message }) => message.includes(FIRST_ROW))).toBe(isHinted);
	});

	it('fails for a file without a link, unless missing ones are to be listed', async () => {
		const other = { downloadFiles: ['other'] };
		const { error } = await resultOf({ ...run(ONE), ...lost }, 'rows', other);
		expect(error?.message).toContain('lost.pdf');
	});
});
