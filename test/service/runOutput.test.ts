import type { JsonObject } from '../../nodes/BrowserAutomation/service/json';
import {
	keyFieldsOf,
	presentRun,
	rowsOf,
	summarizeRun,
	withProfile,
} from '../../nodes/BrowserAutomation/service/runOutput';

const RUN = {
	output: [{ title: 'a' }, { title: 'b' }],
	steps: [{ id: '1' }],
	credit: 3,
	task_id: '9',
	bot_type: 'workflow',
	status: 'finished',
	created_at: '2026-01-31T09:00:00Z',
	log_detail_url: 'https://example.com/log/9',
	input: { keyword: 'x' },
	bot_id: '1001',
	live_url_info: null,
	output_files: { json: { file_name: 'result.json', download_url: 'https://f.example/1' } },
	files_expires_at: 1_700_000_000_000,
	unheard_of: true,
};

describe('simplified', () => {
	it('has the output first, then the key fields and files; no steps, no nulls', () => {
		const [simple] = presentRun(RUN, 'simplified');
		expect(Object.keys(simple ?? {})).toEqual([
			'output',
			'task_id',
			'status',
			'bot_id',
			'bot_type',
			'created_at',
			'credit',
			'log_detail_url',
			'output_files',
			'files_expires_at',
		]);
	});

	it('writes all moments as ISO text', () => {
		const file = { file_name: 'a.pdf', create_time: 1_700_000_000_000, expires_at: 1_700_000_060 };
		expect(presentRun({ ...RUN, download_files: [file] }, 'simplified')).toMatchObject([
			{
				files_expires_at: '2023-11-14T22:13:20.000Z',
				download_files: [
					{ create_time: '2023-11-14T22:13:20.000Z', expires_at: '2023-11-14T22:14:20.000Z' },
				],
			},
		]);
		for (const moment of [1e300, 0, -5]) {
			expect(presentRun({ ...RUN, files_expires_at: moment }, 'simplified')).toMatchObject([
				{ files_expires_at: moment },
			]);
		}
		expect(presentRun({ ...RUN, credit: 1_700_000_000 }, 'simplified')).toMatchObject([
			{ credit: 1_700_000_000 },
		]);
	});

	it('has the failure and the live view beside the status', () => {
		const failed = { ...RUN, status: 'failed', task_failure_info: { code: 1, message: 'm' } };
		expect(Object.keys(presentRun(failed, 'simplified')[0] ?? {}).slice(1, 4)).toEqual([
			'task_id',
			'status',
			'task_failure_info',
		]);
	});

	it('shows a V2 task under the names of a run', () => {
		const task = {
			id: '9',
			status: 'finished',
			workflow_id: '1001',
			profile_id: 'p',
			created_at: '2026-01-31T09:00:00Z',
			output: { string: '[{"title":"a"}]', files: ['https://f.example/9/result.csv?s=1'] },
			download_files: [{ fileName: 'a.pdf', downloadUrl: 'https://f.example/a.pdf' }],
			live_url: 'https://live.example/9',
			steps: [],
			input_parameters: 'a=1',
		};
		expect(presentRun(task, 'simplified')).toEqual([
			{
				task_id: '9',
				status: 'finished',
				live_url_info: { live_url: 'https://live.example/9' },
				workflow_id: '1001',
				profile_id: 'p',
				created_at: '2026-01-31T09:00:00Z',
				output: [{ title: 'a' }],
				output_files: {
					csv: { file_name: 'result.csv', download_url: 'https://f.example/9/result.csv?s=1' },
				},
				download_files: [{ file_name: 'a.pdf', download_url: 'https://f.example/a.pdf' }],
			},
		]);
	});

	it('leaves the output out while there is none', () => {
		const running = { id: '9', status: 'running', output: { string: null, files: null } };
		expect(presentRun(running, 'simplified')).toEqual([{ task_id: '9', status: 'running' }]);
	});

	it.each([
		['{"a":1}', { a: 1 }],
		[' [1]', [1]],
		['Found 3 [leads]', 'Found 3 [leads]'],
		['[not json', '[not json'],
		['42', '42'],
		['', ''],
		[0, 0],
		[false, false],
	])('turns the output %j into %j', (output, expected) => {
		expect(presentRun({ task_id: '9', output }, 'simplified')).toEqual([
			{ task_id: '9', output: expected },
		]);
	});
});

it('the key fields of a run are those that it has, without its output', () => {
	expect(keyFieldsOf({ ...RUN, bot_name: null })).toEqual({
		task_id: '9',
		status: 'finished',
		bot_id: '1001',
		bot_type: 'workflow',
		created_at: '2026-01-31T09:00:00Z',
		credit: 3,
		log_detail_url: 'https://example.com/log/9',
	});
});

it('a run has the profile that its start named, unless it names one itself', () => {
	const run = { task_id: '9' };
	expect(withProfile(run, 'p')).toEqual({ task_id: '9', profile_id: 'p' });
	expect(withProfile({ ...run, profile_id: 'own' }, 'p')).toEqual({ ...run, profile_id: 'own' });
	expect(withProfile(run, undefined)).toBe(run);
});

describe('rows', () => {
	const rows = (output: Parameters<typeof rowsOf>[0][string]) => rowsOf({ task_id: '9', output });

	it('are the elements of a list, also of one that came as text', () => {
		expect(rows([{ a: 1 }, { a: 2 }])).toEqual([{ a: 1 }, { a: 2 }]);
		expect(rows('[{"a":1}]')).toEqual([{ a: 1 }]);
	});

	it('are the elements of the only list in an object', () => {
		expect(rows({ products: [{ a: 1 }], count: 1 })).toEqual([{ a: 1 }]);
		expect(rows({ data: { items: [{ a: 1 }, { a: 2 }] } })).toEqual([{ a: 1 }, { a: 2 }]);
	});

	it('put elements that are no objects under "value"', () => {
		expect(rows(['a', 2, null])).toEqual([{ value: 'a' }, { value: 2 }, { value: null }]);
	});

	it('are none for an empty list', () => {
		expect(rows([])).toEqual([]);
		expect(rows({ products: [] })).toEqual([]);
		expect(presentRun({ task_id: '9', output: [] }, 'rows')).toEqual([]);
	});

	it('keep a record whole that merely has lists among its fields', () => {
		const record = { name: 'a', tags: ['x', 'y'], emails: [] };
		expect(rows(record)).toEqual([record]);
		const both = { leads: [{ a: 1 }], sources: [{ b: 1 }] };
		expect(rows(both)).toEqual([both]);
	});

	it('give way to the key fields where the output is text, or missing', () => {
		expect(presentRun({ task_id: '9', status: 'finished', output: 'Done.' }, 'rows')).toEqual([
			{ task_id: '9', status: 'finished', output: 'Done.' },
		]);
		expect(presentRun({ task_id: '9', status: 'paused' }, 'rows')).toEqual([
			{ task_id: '9', status: 'paused' },
		]);
	});
});

describe('selected fields', () => {
	const selected = (run: JsonObject, ...fields: string[]) => presentRun(run, 'selected', fields);

	it('are those of the rows, in the order they are named', () => {
		const output = [
			{ title: 'a', price: 1, url: 'u' },
			{ title: 'b', price: null },
		];
		expect(selected({ ...RUN, output }, 'price', 'title')).toEqual([
			{ price: 1, title: 'a' },
			{ price: null, title: 'b' },
		]);
		expect(Object.keys(selected({ ...RUN, output }, 'price', 'title')[0] ?? {})).toEqual([
			'price',
			'title',
		]);
	});

	it('are the run’s where the rows have no such field', () => {
		expect(selected(RUN, 'title', 'task_id')).toEqual([
			{ title: 'a', task_id: '9' },
			{ title: 'b', task_id: '9' },
		]);
	});

	it('make one item where they are all the run’s', () => {
		expect(selected(RUN, 'status', 'credit')).toEqual([{ status: 'finished', credit: 3 }]);
		const task = { id: '9', status: 'finished', output: { string: 'Done' } };
		expect(selected(task, 'task_id', 'output')).toEqual([{ task_id: '9', output: 'Done' }]);
	});

	it('are none where there are none', () => {
		expect(selected({ ...RUN, output: [] }, 'title')).toEqual([]);
	});
});

describe('a run of a list', () => {
	const record = {
		task_id: '9',
		bot_type: 'agent',
		status: 'failed',
		created_at: '2026-01-31T09:00:00Z',
		input: {},
		bot_name: 'Scraper',
		finished_at: null,
		credit: 1,
	};

	it('is shown by its key fields, without nulls', () => {
		expect(summarizeRun(record, 'simplified')).toEqual({
			task_id: '9',
			status: 'failed',
			bot_name: 'Scraper',
			created_at: '2026-01-31T09:00:00Z',
			input: {},
			credit: 1,
		});
		const task = { id: '9', status: 'running', workflow_id: '1001', input_parameters: 'a=1' };
		expect(summarizeRun(task, 'simplified')).toEqual({
			task_id: '9',
			status: 'running',
			workflow_id: '1001',
			input_parameters: 'a=1',
		});
	});

	it('is shown by selected fields, or as it came', () => {
		expect(summarizeRun(record, 'selected', ['status', 'bot_type'])).toEqual({
			status: 'failed',
			bot_type: 'agent',
		});
		expect(summarizeRun(record, 'raw')).toBe(record);
		const task = { id: '9', status: 'running' };
		expect(summarizeRun(task, 'selected', ['task_id', 'id'])).toEqual({ task_id: '9', id: '9' });
	});
});

it('raw is the run as it came', () => {
	expect(presentRun(RUN, 'raw')).toEqual([RUN]);
});
