import { isObject, type JsonObject } from '../../dev/sandbox/json';

/** An answer of the service on its way through. */
export interface Passing {
	status: number;
	body: unknown;
	query: URLSearchParams;
}

export type Change = (passing: Passing) => void;

/** Changes the object that an answer is, if it is one. */
function whole(change: (body: JsonObject, query: URLSearchParams) => void): Change {
	return ({ body, query }) => {
		if (isObject(body)) change(body, query);
	};
}

/** Changes the entries of a page. */
function entries(change: (items: unknown[], query: URLSearchParams) => unknown[]): Change {
	return whole((page, query) => {
		if (Array.isArray(page.items)) page.items = change(page.items, query);
	});
}

/** Puts a value where a path leads, e.g. `items[].name`, or takes away what is there; `*` is any member. */
export function at(path: string, value?: unknown): Change {
	const put = (place: unknown, [name = '', ...rest]: string[]): void => {
		if (Array.isArray(place) && name === '[]') place.forEach((entry) => put(entry, rest));
		if (!isObject(place)) return;
		if (name === '*') Object.values(place).forEach((member) => put(member, rest));
		else if (rest.length > 0) put(place[name], rest);
		else if (value === undefined) delete place[name];
		else place[name] = value;
	};
	return ({ body }) => put(body, path.match(/\[\]|[^.[\]]+/g) ?? []);
}

/** Has the service find nothing where a query has a parameter. */
function nothingBy(parameter: string): Change {
	return whole((page, query) => {
		if (query.has(parameter)) Object.assign(page, { items: [], total_count: 0 });
	});
}

/** The entries of the last page that was not the second. */
let firstTasks: unknown[] = [];

/** Gives an entry of the first page on the second one, too. */
const repeated: Change = entries((items, query) => {
	if (query.get('page') === '2') return firstTasks.slice(0, 2);
	firstTasks = items;
	return items;
});

/** The service fails. */
const refused: Change = (passing) => {
	const time = '2026-01-01 00:00:00';
	passing.status = 500;
	passing.body = { code: 500, msg: 'x', data: null, ts: 1, time, traceId: 't-1' };
};

export const BOTS = /^GET \/v3\/bots$/;
const BOT = /^GET \/v3\/bots\/1\d+$/;
const NO_BOT = /\/v3\/bots\/9+$/;
const RUNS = /^GET \/v3\/bots\/runs$/;
const RUN = /^GET \/v3\/bots\/runs\/91\d+$/;
const NO_RUN = /\/v3\/bots\/runs\/9{10,}$/;
const STATUS = /^GET \/v3\/bots\/runs\/91\d+\/status$/;
const TASK = /^GET \/v2\/workflow\/get-task$/;
const TASKS = /^GET \/v2\/workflow\/list-tasks$/;
const BROWSERS = /\/v2\/browser$/;
const REGIONS = /regions$/;
const LATE = 'of a run that has ended is another';

/** What may stand in an answer: of which calls, in which member, and what is to be said of that. */
const MEMBERS: Array<[what: string, call: RegExp, path: string, value: unknown, said: string]> = [
	['a bot has a new field', BOTS, 'items[].owner', 'x', 'is not known (string)'],
	['a bot has no name', BOTS, 'items[].name', undefined, 'is missing'],
	['IDs are numbers', BOTS, 'items[].bot_id', 7, 'is number, not string'],
	['there is a third type of bots', BOTS, 'items[].bot_type', 'skill', 'has the value skill'],
	['a page has no total_count', BOTS, 'total_count', undefined, 'is missing'],
	['moments are numbers', RUNS, 'items[].created_at', 1.7e12, 'is number, not string'],
	['moments have no T', BOT, 'created_at', '2026-01-02 03:04:05', 'must match format "date-time"'],
	['a bot says something else when read alone', BOT, 'name', 'Another', 'is another than in'],
	['a bot has no output schema at all', BOT, 'output_schema', undefined, 'is missing'],
	['there is a new status', STATUS, 'status', 'queued', 'has the value queued'],
	['the status of an ended run lags behind', STATUS, 'status', 'running', LATE],
	['the detail of an ended run lags behind', RUN, 'status', 'running', LATE],
	['links expire in seconds', RUN, 'files_expires_at', 2e9, 'is no milliseconds'],
	['a task names another workflow', TASK, 'workflow_id', '7', 'is not the ID of the run’s bot'],
	['a task has no steps', TASK, 'steps', undefined, 'is missing'],
	['regions have long codes', REGIONS, '[].code', 'USA', 'is not two capital letters'],
	['errors have no trace ID', NO_BOT, 'traceId', undefined, 'is missing'],
	['an error’s ts is a text', NO_BOT, 'ts', '1', 'is string, not integer'],
];

const wrapped: Change = (passing) => (passing.body = { data: passing.body });
const threefold = entries((items) => [items, items, items].flat());
const fromZero = whole((page) => (page.page = Number(page.page) - 1));
const endless = entries((items) => (items.length === 0 ? [{ task_id: 'x' }] : items));
const expired = at('data', { items: [{ id: '30001', status: 'expired' }] });
const missing: Change = (passing) => (passing.status = 404);

/** Pages of another size than asked for, where nobody asks. */
const ofTen = whole((page, query) => {
	if (!query.has('limit')) page.limit = 10;
});

const accepted: Change = (passing) => {
	if (passing.status === 400) Object.assign(passing, { status: 200, body: {} });
};

const unfiltered = whole((page, query) => {
	if (query.has('status')) page.items = [{ task_id: '1', status: 'other' }];
});

/** The links of files are not what was signed. */
const unsigned = whole(({ output_files: files }) => {
	for (const file of Object.values(isObject(files) ? files : {}).filter(isObject)) {
		file.download_url = String(file.download_url).replace(/signature=\w/, 'signature=-');
	}
});

const unauthorized: Change = (passing) => {
	if (isObject(passing.body) && passing.body.code === 401) passing.status = 401;
};

const unwrapped: Change = (passing) => {
	if (isObject(passing.body)) passing.body = passing.body.data;
};

const [FILE, INPUT] = ['output_files.*', 'input_parameters[]'];
const [VIEW, NAME] = ['live_url_info', '`output_files.json.fileName`'];
const [ENDED, NOT_THERE] = ['of a run that is finished', 'of a run that is not there'];
const LACKS_ENDS = 'by created_at_from, created_at_to lacks an entry that fits';
const REQUIRES_OTHERS = 'has other inputs with `default_enabled: false` than the bot requires';

/** What a service may do otherwise: of which calls, how, and what is to be said of it. */
export const CHANGES: Array<[what: string, call: RegExp, change: Change, said: string]> = [
	...MEMBERS.map(([what, call, path, value, said]): (typeof CHANGES)[number] => {
		return [what, call, at(path, value), `\`${path}\` ${said}`];
	}),
	['a list is bare', BOTS, (all) => (all.body = [{ bot_id: '1' }]), 'is array, not object'],
	['lists come in the envelope', BOTS, wrapped, '`data` is not known (object)'],
	['a page is larger than its limit', BOTS, threefold, 'entries where limit is 2'],
	['the limit is not kept', RUNS, at('limit', 20), 'says limit 20 where 2 was asked for'],
	['pages are counted from 0', RUNS, fromZero, 'says page 0 of page 1'],
	['pages are miscounted', RUNS, at('total_pages', 1), 'says 1 pages of 2 entries for 12 entries'],
	['an entry comes on two pages', TASKS, repeated, 'has an entry on two pages'],
	['the page after the last one repeats it', RUNS, endless, 'has entries after its last page'],
	['pages have another size unless asked', RUNS, ofTen, 'has pages of 10 unless asked, not 20'],
	['a limit above the largest is taken', RUNS, accepted, 'of limit 101 answers with status 200'],
	['a filter is not kept', RUNS, unfiltered, 'by status gives entries that do not fit'],
	['the ends of a time are not included', RUNS, nothingBy('created_at_from'), LACKS_ENDS],
	['capitals matter', BOTS, nothingBy('keyword'), 'by keyword lacks an entry that fits'],
	['a running run has an output', RUN, at('output', []), 'of a run that is running has `output`'],
	['a live view outlives its run', RUN, at(VIEW, { live_url: 'x' }), `${ENDED} has \`${VIEW}\``],
	['an ended run has no end', RUN, at('finished_at'), `${ENDED} has no \`finished_at\``],
	['a file is larger', RUN, at(`${FILE}.file_size`, 1), 'has another size than its `file_size`'],
	['a link is refused', RUN, unsigned, 'is refused with status 403'],
	['files have names in camelCase', RUN, at(`${FILE}.fileName`, 'x'), `${NAME} is not known`],
	['tasks have no list', TASKS, refused, 'answers with status 500 (code 500, trace ID t-1)'],
	['V2 has other regions', /get-region-list$/, at('[].code', 'XX'), 'gives other codes than V3'],
	['V2 requires no input', /get-workflow$/, at(`${INPUT}.default_enabled`, true), REQUIRES_OTHERS],
	['regions are texts', REGIONS, (all) => (all.body = ['US']), '`[]` is string, not object'],
	['what is not there is 404', NO_RUN, missing, `${NOT_THERE} answers with status 404`],
	['no bot is 404', NO_BOT, at('code', 404), 'of a bot that is not there has code 404, not 10111'],
	['a wrong key is 401 in HTTP', BOTS, unauthorized, 'of a wrong key answers with status 401'],
	['browsers are bare', BROWSERS, unwrapped, '`GET /v2/browser` `traceId` is missing'],
	['browsers are not filtered', BROWSERS, expired, 'by status gives entries that do not fit'],
	['nothing is JSON', /./, (all) => (all.body = 'x'), 'the answer is string, not object'],
];
