import type { JsonObject, JsonValue } from '../../../nodes/BrowserAutomation/service/json/json';
import { keyFieldsOf, withProfile } from '../../../nodes/BrowserAutomation/service/runs/runFields';
import {
	mayHoldRows,
	presentRun,
	presentSummaries,
	type Hints,
	type RunView,
	type SummaryMode,
} from '../../../nodes/BrowserAutomation/service/runs/runOutput';
import { read } from '../../project/markdown';

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

function shown(run: JsonObject, view: RunView, outputSchema?: JsonObject): JsonObject[] {
	return presentRun(run, view, outputSchema).items;
}

function runWith(output: JsonValue): JsonObject {
	return { task_id: '9', status: 'finished', output };
}

const simplified = (run: JsonObject): JsonObject => shown(run, { output: 'simplified' })[0] ?? {};

describe('simplified', () => {
	it('has the output first, then the key fields and files; no steps, no nulls', () => {
		expect(Object.keys(simplified(RUN))).toEqual([
			...['output', 'task_id', 'status', 'bot_id', 'created_at', 'credit', 'bot_type'],
			...['log_detail_url', 'output_files', 'files_expires_at'],
		]);
	});

	it('writes all moments as ISO text', () => {
		const file = { file_name: 'a.pdf', create_time: 1_700_000_000_000, expires_at: 1_700_000_060 };
		expect(simplified({ ...RUN, download_files: [file] })).toMatchObject({
			files_expires_at: '2023-11-14T22:13:20.000Z',
			download_files: [
				{ create_time: '2023-11-14T22:13:20.000Z', expires_at: '2023-11-14T22:14:20.000Z' },
			],
		});
		for (const moment of [1e300, 0, -5]) {
			const run = simplified({ ...RUN, files_expires_at: moment });
			expect(run.files_expires_at).toBe(moment);
		}
		expect(simplified({ ...RUN, credit: 1_700_000_000 }).credit).toBe(1_700_000_000);
	});

	it('has the failure beside the status', () => {
		const failed = { ...RUN, status: 'failed', task_failure_info: { code: 1, message: 'm' } };
		const [, ...names] = Object.keys(simplified(failed));
		expect(names.slice(0, 3)).toEqual(['task_id', 'status', 'task_failure_info']);
	});

	it('shows a V2 task under the names of a run', () => {
		const same = { workflow_id: '1001', profile_id: 'p', created_at: '2026-01-31T09:00:00Z' };
		const [csv, pdf] = ['https://f.example/9/result.csv?s=1', 'https://f.example/a.pdf'];
		const live_url = 'https://live.example/9';
		const task = {
			...{ id: '9', status: 'finished', live_url, steps: [], input_parameters: 'a=1' },
			...same,
			output: { string: '[{"title":"a"}]', files: [csv] },
			download_files: [{ fileName: 'a.pdf', downloadUrl: pdf }],
		};
		expect(simplified(task)).toEqual({
			...{ task_id: '9', status: 'finished', live_url_info: { live_url } },
			...same,
			output: [{ title: 'a' }],
			output_files: { csv: { file_name: 'result.csv', download_url: csv } },
			download_files: [{ file_name: 'a.pdf', download_url: pdf }],
		});
	});

	it.each([{ string: null, files: null }, { files: [] }, {}, null])(
		'leaves the output of a V2 task out while there is none: %j',
		(output) => {
			const running = { id: '9', status: 'running', output };
			expect(simplified(running)).toEqual({ task_id: '9', status: 'running' });
		},
	);

	it('shows an output of a V2 task that has neither of its parts', () => {
		expect(simplified({ id: '9', output: { price: 1 } })).toEqual({
			task_id: '9',
			output: { price: 1 },
		});
	});

	it.each([
		[' [1]', [1]],
		['Found 3 [leads]', 'Found 3 [leads]'],
		['[not json', '[not json'],
		['42', '42'],
		['"[not json"', '"[not json"'],
		['Found:\n```\n{"a":1}\n```\nBye.', { a: 1 }],
		['# Page\n\nAn example:\n```\n{"a":1}\n```', '# Page\n\nAn example:\n```\n{"a":1}\n```'],
		['{"a":1}\nand more', '{"a":1}\nand more'],
		[0, 0],
	])('turns the output %j into %j', (output, expected) => {
		expect(simplified({ task_id: '9', output })).toEqual({ task_id: '9', output: expected });
	});

	it.each(['', ' \n'])('has no output where that is %j', (output) => {
		expect(simplified({ task_id: '9', output })).toEqual({ task_id: '9' });
		expect(simplified({ id: '9', output: { string: output, files: [] } })).toEqual({
			task_id: '9',
		});
	});
});

it('the key fields of a run are those that it has, without its output', () => {
	expect(Object.keys(keyFieldsOf({ ...RUN, bot_name: null }))).toEqual([
		...['task_id', 'status', 'bot_id', 'created_at', 'credit', 'bot_type', 'log_detail_url'],
	]);
});

it('a run has the profile that its start named, unless it names one itself', () => {
	const run = { task_id: '9' };
	expect(withProfile(run, 'p')).toEqual({ task_id: '9', profile_id: 'p' });
	expect(withProfile({ ...run, profile_id: 'own' }, 'p')).toEqual({ ...run, profile_id: 'own' });
	expect(withProfile(run, undefined)).toBe(run);
});

describe('rows, as the page for users shows them:', () => {
	const [, table = ''] =
		/\n\| Output +\| Items[^\n]+\n[^\n]+\n((?:\|[^\n]+\n)+)/.exec(
			read('docs/reference/rows-and-inputs.md'),
		) ?? [];
	const lines = [...table.matchAll(/^\| `(.+?)`[^`|]*\| (?:`(.+)`)?([^_|\n]*)(?:_(.+)_)? *\|$/gm)];

	it.each(lines.map(([, ...cells]) => cells))('%s', (output = '', items, words, hint = '') => {
		const value: JsonValue = JSON.parse(output);
		const runs: JsonObject[] = [
			{ task_id: '9', status: 'finished', output: value },
			{ id: '9', status: 'finished', output: { string: value, files: [] } },
			{ task_id: '9', status: 'finished', output: typeof value === 'string' ? value : output },
		];
		for (const run of runs) {
			const { items: found, hints } = presentRun(run, { output: 'rows' });
			const itself = simplified(run);
			expect(found).toEqual(items === undefined ? [itself] : JSON.parse(items));
			expect(Object.values(hints)).toEqual(hint === '' ? [] : [expect.stringContaining(hint)]);
			expect(words).toMatch(items === undefined ? /the run/ : /^,? *$/);
		}
	});

	it('all of them', () => expect(lines).toHaveLength(table.trim().split('\n').length));
});

describe('rows', () => {
	const rows = (output: JsonValue) => shown(runWith(output), { output: 'rows' });

	it('put elements that are no objects under "value"', () => {
		expect(rows(['a', 2, null])).toEqual([{ value: 'a' }, { value: 2 }, { value: null }]);
	});

	it('are none where the output holds nothing', () => {
		for (const nothing of [[], { products: [] }, {}]) expect(rows(nothing)).toEqual([]);
		expect(rows({ total: 3 })).toEqual([{ total: 3 }]);
	});

	it.each<[string, JsonValue]>([
		['other fields', { title: 'a', price: 1, reviews: [{ stars: 5 }, { stars: 4 }] }],
		['other fields, and is empty', { title: 'a', price: 1, reviews: [] }],
		['other lists', { leads: [{ a: 1 }], sources: [{ b: 1 }] }],
		['a page with a name, not a number', { page: 'https://a.example', links: [{ a: 1 }] }],
		['paging that holds more', { paging: { next: 2, title: 'a' }, items: [{ a: 1 }] }],
		['a sum with a name of its own', { 商品total: 399, reviews: [{ a: 1 }] }],
		['a sum in words', { total: '59,90 €', items: [{ a: 1 }] }],
		['facts of paging that are a list', { next: [{ a: 1 }], items: [{ b: 1 }] }],
	])('keep a record whole whose list has beside it %s', (_, record) => {
		expect(rows(record)).toEqual([record]);
	});

	it.each<JsonObject>([
		{ total: 0 },
		{ page: 1, limit: '20', total_pages: 3, next_cursor: 'x', hasMore: true },
		{ pagination: { page: 1, 'per-page': 20, next: null } },
		{ status: 'success', message: 'Found them.', errors: null },
		{ code: 200, msg: null, error: '' },
	])('are the elements of a list beside facts of paging, or that all went well: %j', (facts) => {
		expect(rows({ ...facts, products: [{ a: 1 }, { a: 2 }] })).toEqual([{ a: 1 }, { a: 2 }]);
		expect(rows({ products: [], ...facts })).toEqual([]);
	});

	it('are none for a null only where a count says that there are none', () => {
		for (const facts of [
			{ total: 0 },
			{ total_count: '0', page: 1 },
			{ pagination: { total: 0 } },
		]) {
			expect(rows({ products: null, ...facts })).toEqual([]);
		}
		for (const record of [
			{ total: 129.99, coupon: null },
			{ count: 14, next_restock: null },
			{ status: 'success', email: null },
		]) {
			expect(rows(record)).toEqual([record]);
		}
	});

	it.each(['60', '59.90', 59.9])('are the same whatever the sum %j beside them is', (total) => {
		expect(rows({ total, items: [{ a: 1 }, { a: 2 }] })).toEqual([{ a: 1 }, { a: 2 }]);
	});

	it('do not begin with a byte order mark', () => {
		expect(rows('\uFEFF[{"a":1}]')).toEqual([{ a: 1 }]);
		expect(rows([{ '\uFEFFtitle': 'a', b: 1 }, { title: 'b' }])).toEqual([
			{ title: 'a', b: 1 },
			{ title: 'b' },
		]);
		expect(simplified(runWith('\uFEFFtitle;price')).output).toBe('title;price');
	});

	describe('where the schema of the bot’s output says where they are', () => {
		const list = { type: 'array', items: { type: 'object', properties: { a: {} } } };
		const output = { leads: [{ a: 1 }, { a: 2 }], took: '3 s' };
		const bySchema = (schema: JsonObject, of: JsonValue = output) =>
			shown(runWith(of), { output: 'rows' }, schema);
		const schemaOf = (properties: JsonObject) => ({ type: 'object', properties });

		it('are taken from there', () => {
			expect(bySchema(schemaOf({ leads: list }))).toEqual(output.leads);
			expect(bySchema(schemaOf({ leads: list, total: { type: 'integer' } }))).toEqual(output.leads);
			expect(bySchema(schemaOf({ leads: { type: ['array', 'null'] } }))).toEqual(output.leads);
			for (const leads of [[], null]) {
				expect(bySchema(schemaOf({ leads: list }), { leads, took: '3 s' })).toEqual([]);
			}
		});

		it('are the record itself where it says that, or something else than there is', () => {
			const two = schemaOf({ leads: list, took: { type: 'string' } });
			const answer = schemaOf({ total: { type: 'number' }, took: { type: 'string' } });
			for (const schema of [two, answer, schemaOf({ hits: list }), {}]) {
				expect(bySchema(schema)).toEqual([output]);
			}
		});

		it('is asked for only where the output does not say it', () => {
			const view = { output: 'rows' } as const;
			expect(mayHoldRows(runWith(output), view)).toBe(true);
			expect(mayHoldRows(runWith({ leads: null, took: '3 s' }), view)).toBe(true);
			expect(mayHoldRows(runWith(output), { output: 'selected', fields: ['a'] })).toBe(true);
			expect(mayHoldRows(runWith(output), { output: 'simplified' })).toBe(false);
			expect(mayHoldRows(runWith(output), { ...view, rowsFrom: 'leads' })).toBe(false);
			for (const other of [output.leads, { leads: output.leads }, { took: 1 }, 'text']) {
				expect(mayHoldRows(runWith(other), view)).toBe(false);
			}
		});
	});

	describe('from a list that is named', () => {
		const named = (output: JsonValue, rowsFrom: string, includeBeside = false) =>
			shown(runWith(output), { output: 'rows', rowsFrom, includeBeside });
		const reviews = [{ stars: 5 }, { stars: 4 }];
		const record = { title: 'a', stars: 1, reviews, data: { n: [1] } };

		it('are its elements, with the record’s other fields if that is wanted', () => {
			expect(named(record, 'reviews')).toEqual(reviews);
			expect(named(record, 'reviews', true)).toEqual(
				reviews.map((row) => ({ title: 'a', data: { n: [1] }, ...row })),
			);
			for (const none of [[], null]) {
				expect(named({ ...record, reviews: none }, 'reviews')).toEqual([]);
			}
			expect(named({}, 'reviews')).toEqual([]);
		});

		it('may lie within another field, whose name may have dots', () => {
			expect(named(record, 'data.n')).toEqual([{ value: 1 }]);
			expect(named(record, 'data.n', true)).toMatchObject([{ value: 1, title: 'a' }]);
			expect(named({ 'data.n': [{ a: 1 }], data: { n: [1] } }, 'data.n')).toEqual([{ a: 1 }]);
		});

		it('are those of each element, where the output is a list itself', () => {
			const list = [{ title: 'a', reviews: [{ stars: 5 }] }, { title: 'b' }, { reviews: [{}] }];
			expect(named(list, 'reviews', true)).toEqual([{ title: 'a', stars: 5 }, {}]);
			expect(named([], 'reviews')).toEqual([]);
		});

		it('are refused, with the lists that there are, where there is none of that name', () => {
			expect(() => named(record, 'review')).toThrow(
				expect.objectContaining({
					message: 'The output of run 9 has no "review"',
					advice: "Change 'List to Split Into Rows'. The output has these lists: reviews, data.n.",
				}),
			);
			expect(() => named({ a: 1 }, 'constructor')).toThrow('has no "constructor"');
		});
	});

	it('can have what stands beside their list also where it is found without its name', () => {
		const view = { output: 'rows', includeBeside: true } as const;
		expect(shown(runWith({ items: [{ a: 1 }], total: 7 }), view)).toEqual([{ a: 1, total: 7 }]);
	});
});

describe('selected fields', () => {
	const selected = (run: JsonObject, ...fields: string[]) =>
		shown(run, { output: 'selected', fields });

	it('are those of the rows, in the order they are named, and the run’s ID', () => {
		const output = [
			{ title: 'a', price: 1, url: 'u' },
			{ title: 'b', price: null },
		];
		const rows = selected({ ...RUN, output }, 'price', 'title');
		expect(JSON.stringify(rows)).toBe(
			'[{"price":1,"title":"a","task_id":"9"},{"price":null,"title":"b","task_id":"9"}]',
		);
	});

	it('have the run’s ID also where the rows have a field of that name', () => {
		const run = { ...RUN, output: [{ title: 'a', task_id: 'T-1' }] };
		expect(selected(run, 'title')).toEqual([{ title: 'a', task_id: '9' }]);
		expect(selected(run, 'title', 'task_id')).toEqual([{ title: 'a', task_id: 'T-1' }]);
	});

	it('are of each row even where they are all the run’s, and of the run where there are no rows to have', () => {
		const both = { status: 'finished', credit: 3, task_id: '9' };
		expect(selected(RUN, 'status', 'credit')).toEqual([both, both]);
		const task = { id: '9', status: 'finished', output: { string: 'Done' } };
		expect(selected(task, 'task_id', 'output')).toEqual([{ task_id: '9', output: 'Done' }]);
	});

	it('can stand beside the list of the rows', () => {
		const output = { title: 'a', reviews: [{ stars: 5 }], page: 1 };
		const view: RunView = { output: 'selected', rowsFrom: 'reviews', fields: ['stars', 'title'] };
		expect(shown(runWith(output), view)).toEqual([{ stars: 5, title: 'a', task_id: '9' }]);
	});

	it('give way to the key fields where the run goes on and has none of them yet', () => {
		const paused = { task_id: '9', status: 'paused', live_url_info: { live_url: 'https://x' } };
		const view: RunView = { output: 'selected', fields: ['title'] };
		expect(presentRun({ ...paused, steps: [] }, view)).toEqual({
			items: [paused],
			hints: { noOutput: 'Run 9 is paused and has no output yet, so its item is the run itself.' },
			isRunItself: true,
		});
		expect(selected(paused, 'title', 'status')).toEqual([{ status: 'paused', task_id: '9' }]);
	});

	it('give way to the key fields where the run has finished without output', () => {
		const { items, hints } = presentRun(runWith(null), { output: 'selected', fields: ['title'] });
		expect(items).toEqual([{ task_id: '9', status: 'finished' }]);
		expect(hints.noOutput).toContain('Run 9 has finished without output');
	});

	it('are refused, with the names that there are, where no row has any of them', () => {
		const run = { ...RUN, output: [{ title: 'a' }, { price: 1 }] };
		expect(() => selected(run, 'titel', 'prize')).toThrow(
			expect.objectContaining({
				message: 'No row of run 9 has a field named titel, prize',
				advice: expect.stringMatching(
					/^Change 'Field Names or IDs'\. There are title, .*price.*\.$/,
				),
			}),
		);
		expect(() => selected(runWith('Done'), 'title')).toThrow('No row of run 9 has');
	});
});

describe('what is to be known of a run', () => {
	const hintsOn = (output: JsonValue, view: RunView = { output: 'rows' }): Hints =>
		presentRun(runWith(output), view).hints;

	it('that has no output, or has it under another name', () => {
		const renamed = { task_id: '9', status: 'finished', result: [{ a: 1 }] };
		const { items, hints } = presentRun(renamed, { output: 'rows' });
		expect(items).toEqual([{ task_id: '9', status: 'finished' }]);
		expect(hints).toEqual({
			noOutput:
				'Run 9 has finished without output, so its item is the run itself. The fields of the run are task_id, status, result.',
		});
		expect(presentRun({ ...renamed, status: 'paused' }, { output: 'rows' }).hints).toEqual({});
	});

	it.each(['null', '42', '# Page', '<a>1</a>', 'Done.'])('that gave text: %s', (output) => {
		const { items, hints } = presentRun(runWith(output), { output: 'rows' });
		expect(items).toEqual([runWith(output)]);
		expect(hints.text).toMatch(/^The output of run 9 is text, not JSON\..*n8n’s node Extract from/);
	});

	it('that has not got some of the selected fields', () => {
		const fields = ['title', 'prize', 'task_failure_info'];
		expect(hintsOn([{ title: 'a' }], { output: 'selected', fields })).toEqual({
			unknownFields:
				'No row of run 9 has a field named prize. There are title, task_id, status, download_files.',
		});
	});

	it('that is one item, although it has lists of records', () => {
		const output = { summary: 's', leads: [{ a: 1 }], tags: ['x'] };
		expect(hintsOn(output).lists).toMatch(/under 'List to Split Into Rows': leads\.$/);
		expect(hintsOn(output, { output: 'rows', rowsFrom: 'leads' })).toEqual({});
		expect(hintsOn([output])).toEqual({});
		expect(hintsOn({ summary: 's', tags: ['x'] })).toEqual({});
	});
});

describe('a run of a list', () => {
	const shownInList = { task_id: '9', status: 'failed', created_at: '2026-01-31T09:00:00Z' };
	const further = { input: {}, bot_name: 'Scraper', bot_type: 'agent', credit: 1 };
	const record = { ...shownInList, ...further, bot_id: null, finished_at: null };
	const task = { id: '9', status: 'running', workflow_id: '1001', input_parameters: 'a=1' };

	const summary = (run: JsonObject, output: SummaryMode, ...fields: string[]) =>
		presentSummaries([run], { output, fields }).items[0];

	it('is shown by its key fields, without nulls', () => {
		expect(summary(record, 'simplified')).toEqual({ ...shownInList, ...further });
		const { id, ...others } = task;
		expect(summary(task, 'simplified')).toEqual({ task_id: id, ...others });
	});

	it('is shown by selected fields, or as it came', () => {
		const selected = { status: 'failed', bot_type: 'agent', task_id: '9' };
		expect(summary(record, 'selected', 'status', 'bot_type')).toEqual(selected);
		expect(summary(record, 'raw')).toBe(record);
		expect(summary(task, 'selected', 'task_id', 'id')).toEqual({ task_id: '9', id: '9' });
	});

	it('is refused, or named in a hint, where it has not got what was selected', () => {
		const select = (...fields: string[]) =>
			presentSummaries([record], { output: 'selected', fields }).hints;
		expect(() => select('bot')).toThrow('No run of the list has a field named bot');
		expect(select('bot', 'bot_type').unknownFields).toContain('named bot. There are task_id, ');
		expect(select('bot_type')).toEqual({});
		expect(presentSummaries([], { output: 'selected', fields: ['bot'] }).items).toEqual([]);
	});
});
