import { isObject, type JsonObject } from '../../sandbox/json';

/** An answer of the service on its way through. */
export interface Passing {
	status: number;
	headers: Record<string, string>;
	body: unknown;
	query: URLSearchParams;
}

export type Change = (passing: Passing) => void;

/** Changes the object that an answer is. */
function whole(change: (body: JsonObject) => void): Change {
	return ({ body }) => {
		if (isObject(body)) change(body);
	};
}

/** Changes each entry of a page. */
export function each(change: (entry: JsonObject) => void): Change {
	return whole(({ items }) => {
		if (Array.isArray(items)) items.filter(isObject).forEach(change);
	});
}

/** Changes the array of a page. */
function entries(change: (items: unknown[], query: URLSearchParams) => unknown[]): Change {
	return ({ body, query }) => {
		if (isObject(body) && Array.isArray(body.items)) body.items = change(body.items, query);
	};
}

/** The service fails. */
const refused: Change = (passing) => {
	passing.status = 500;
	passing.body = {
		code: 500,
		msg: 'x',
		data: null,
		ts: 1,
		time: '2026-01-01 00:00:00',
		traceId: 't-1',
	};
};

/** The entries of the last page that was not the second. */
let firstTasks: unknown[] = [];

function keepFirst(items: unknown[]): unknown[] {
	firstTasks = items;
	return items;
}

function eachFile(change: (file: JsonObject) => void): Change {
	return whole(({ output_files }) => {
		if (isObject(output_files)) Object.values(output_files).filter(isObject).forEach(change);
	});
}

export const BOTS = /^GET \/v3\/bots$/;
const BOT = /^GET \/v3\/bots\/1\d+$/;
const RUNS = /^GET \/v3\/bots\/runs$/;
const RUN = /^GET \/v3\/bots\/runs\/91\d+$/;
const STATUS = /^GET \/v3\/bots\/runs\/91\d+\/status$/;
const TASK = /^GET \/v2\/workflow\/get-task$/;
const TASKS = /^GET \/v2\/workflow\/list-tasks$/;
const ALL = /./;

/** What a service may do otherwise: of which calls, how, and what is to be said of it. */
export const CHANGES: Array<[string, RegExp, Change, RegExp]> = [
	[
		'a bot has a new field',
		BOTS,
		each((bot) => (bot.owner = 'x')),
		/`items\[\]\.owner` is not known \(string\).*:\d+$/,
	],
	['a bot has no name', BOTS, each((bot) => delete bot.name), /`items\[\]\.name` is missing/],
	[
		'IDs are numbers',
		BOTS,
		each((bot) => (bot.bot_id = Number(bot.bot_id))),
		/`items\[\]\.bot_id` is number, not string/,
	],
	[
		'there is a third type of bots',
		BOTS,
		each((bot) => (bot.bot_type = 'skill')),
		/`items\[\]\.bot_type` has the value skill/,
	],
	[
		'a page has no total_count',
		BOTS,
		whole((page) => delete page.total_count),
		/`total_count` is missing/,
	],
	[
		'a list is a bare array',
		BOTS,
		(passing) => (passing.body = [{ bot_id: '1' }]),
		/the answer is array, not object/,
	],
	[
		'lists come in the envelope',
		BOTS,
		(passing) => (passing.body = { code: 0, data: passing.body }),
		/`data` is not known \(object\)/,
	],
	[
		'a page is larger than its limit',
		BOTS,
		entries((items) => [...items, ...items, ...items]),
		/gives \d+ of \d+ entries where limit is 2/,
	],
	[
		'the limit that was asked for is not kept',
		RUNS,
		whole((page) => (page.limit = 20)),
		/says limit 20 where 2 was asked for/,
	],
	[
		'pages are counted from 0',
		RUNS,
		whole((page) => (page.page = Number(page.page) - 1)),
		/says page 0 of page 1/,
	],
	[
		'total_pages is wrong',
		RUNS,
		whole((page) => (page.total_pages = 1)),
		/says 1 pages of 2 entries for 12 entries/,
	],
	[
		'an entry comes on two pages',
		TASKS,
		entries((items, query) =>
			query.get('page') === '2' ? firstTasks.slice(0, 2) : keepFirst(items),
		),
		/has an entry on two pages/,
	],
	[
		'the page after the last one repeats it',
		RUNS,
		entries((items) => (items.length === 0 ? [{ task_id: 'x' }] : items)),
		/has entries after its last page/,
	],
	[
		'pages have another size unless asked',
		RUNS,
		({ body, query }) => {
			if (isObject(body) && !query.has('limit')) body.limit = 10;
		},
		/has pages of 10 unless asked, not 20/,
	],
	[
		'a limit above the largest is taken',
		RUNS,
		(passing) => {
			if (passing.status === 400) Object.assign(passing, { status: 200, body: {} });
		},
		/of limit 101 answers with status 200/,
	],
	[
		'a filter is not kept',
		RUNS,
		({ body, query }) => {
			if (isObject(body) && query.has('status')) body.items = [{ task_id: '1', status: 'other' }];
		},
		/by status gives entries that do not fit/,
	],
	[
		'the ends of a time are not included',
		RUNS,
		({ body, query }) => {
			if (isObject(body) && query.has('created_at_from'))
				Object.assign(body, { items: [], total_count: 0 });
		},
		/by created_at_from, created_at_to lacks an entry that fits/,
	],
	[
		'capitals matter to the keyword',
		BOTS,
		({ body, query }) => {
			if (isObject(body) && query.has('keyword'))
				Object.assign(body, { items: [], total_count: 0 });
		},
		/by keyword lacks an entry that fits/,
	],
	[
		'moments are numbers',
		RUNS,
		each((run) => (run.created_at = 1_700_000_000_000)),
		/`items\[\]\.created_at` is number, not string/,
	],
	[
		'moments have a blank instead of T',
		BOT,
		whole((bot) => (bot.created_at = '2026-01-02 03:04:05')),
		/`created_at` must match format "date-time"/,
	],
	[
		'a bot says something else when read alone',
		BOT,
		whole((bot) => (bot.name = 'Another')),
		/`name` is another than in/,
	],
	[
		'a bot has no output schema at all',
		BOT,
		whole((bot) => delete bot.output_schema),
		/`output_schema` is missing/,
	],
	[
		'there is a new status',
		STATUS,
		whole((run) => (run.status = 'queued')),
		/`status` has the value queued/,
	],
	[
		'the status of an ended run lags behind',
		STATUS,
		whole((run) => (run.status = 'running')),
		/`status` of a run that has ended is another/,
	],
	[
		'the detail of an ended run lags behind',
		RUN,
		whole((run) => (run.status = 'running')),
		/`status` of a run that has ended is another/,
	],
	[
		'a running run has an output',
		RUN,
		whole((run) => (run.output = [])),
		/of a run that is running has `output`/,
	],
	[
		'a live view outlives its run',
		RUN,
		whole((run) => (run.live_url_info = { width: 1, height: 1, live_url: 'x' })),
		/of a run that is finished has `live_url_info`/,
	],
	[
		'an ended run has no finished_at',
		RUN,
		whole((run) => delete run.finished_at),
		/of a run that is finished has no `finished_at`/,
	],
	[
		'links expire in seconds',
		RUN,
		whole((run) => {
			if ('files_expires_at' in run) run.files_expires_at = Math.floor(Date.now() / 1_000) + 3_600;
		}),
		/`files_expires_at` is no milliseconds/,
	],
	[
		'a file has another size',
		RUN,
		eachFile((file) => (file.file_size = 1)),
		/has another size than its `file_size`/,
	],
	[
		'a link is refused',
		RUN,
		eachFile(
			(file) =>
				(file.download_url = String(file.download_url).replace(/signature=\w/, 'signature=-')),
		),
		/is refused with status 403/,
	],
	[
		'files have names in camelCase',
		RUN,
		eachFile((file) => {
			file.fileName = file.file_name;
			delete file.file_name;
		}),
		/`output_files\.\w+\.fileName` is not known/,
	],
	[
		'a task names another workflow',
		TASK,
		whole((task) => (task.workflow_id = '7')),
		/`workflow_id` is not the ID of the run’s bot/,
	],
	['a task has no steps', TASK, whole((task) => delete task.steps), /`steps` is missing/],
	[
		'the list of tasks is not there',
		TASKS,
		refused,
		/answers with status 500 \(code 500, trace ID t-1\)/,
	],
	[
		'regions are plain texts',
		/regions$/,
		(passing) => (passing.body = ['US']),
		/`\[\]` is string, not object/,
	],
	[
		'regions have long codes',
		/regions$/,
		(passing) => (passing.body = [{ code: 'USA', name: 'x' }]),
		/`\[\]\.code` is not two capital letters/,
	],
	[
		'what is not there is 404',
		/\/v3\/bots\/runs\/9{10,}$/,
		(passing) => (passing.status = 404),
		/of a run that is not there answers with status 404/,
	],
	[
		'a bot that is not there has another code',
		/\/v3\/bots\/9+$/,
		whole((body) => (body.code = 404)),
		/of a bot that is not there has code 404, not 10111/,
	],
	[
		'errors have no trace ID',
		/\/v3\/bots\/9+$/,
		whole((body) => delete body.traceId),
		/of a bot that is not there `traceId` is missing/,
	],
	[
		'an error’s ts is a text',
		/\/v3\/bots\/9+$/,
		whole((body) => (body.ts = '1')),
		/of a bot that is not there `ts` is string, not integer/,
	],
	[
		'a wrong key is 401 in HTTP',
		BOTS,
		(passing) => {
			if (isObject(passing.body) && passing.body.code === 401) passing.status = 401;
		},
		/of a wrong key answers with status 401/,
	],
	[
		'browsers come without the envelope',
		/\/v2\/browser$/,
		(passing) => {
			if (isObject(passing.body)) passing.body = passing.body.data;
		},
		/`GET \/v2\/browser` `traceId` is missing/,
	],
	[
		'browsers are not filtered',
		/\/v2\/browser$/,
		whole((body) => {
			body.data = { items: [{ id: '30001', status: 'expired' }] };
		}),
		/by status gives entries that do not fit/,
	],
	['nothing is JSON', ALL, (passing) => (passing.body = 'x'), /the answer is string, not object/],
];
