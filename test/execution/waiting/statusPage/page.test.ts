import {
	toClosedPage,
	toStatusPage,
} from '../../../../nodes/BrowserAutomation/execution/waiting/statusPage/page';
import type {
	ShownRun,
	StatusPage,
} from '../../../../nodes/BrowserAutomation/execution/waiting/statusPage/view';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const NOW = 1_000 * HOUR;
const EXECUTION_URL = 'https://n8n.example.com/workflow/w/executions/7';

/** Two runs of an execution that was begun three minutes ago, and may wait for another hour. */
function pageWith(part: Partial<StatusPage>): string {
	return toStatusPage({
		name: 'Price Watcher',
		workflowName: 'Prices',
		executionUrl: EXECUTION_URL,
		now: NOW,
		since: NOW - 3 * MINUTE,
		deadline: NOW + HOUR,
		nextLook: undefined,
		items: 2,
		open: 2,
		unstarted: 0,
		isFull: false,
		inLine: undefined,
		paused: 0,
		isDone: false,
		runs: [runWith({}), runWith({ taskId: '8' })],
		activity: {},
		notice: undefined,
		diagnostics: ['execution 7', 'item 0: 7, running'],
		...part,
	});
}

function runWith(part: Partial<ShownRun>): ShownRun {
	return { taskId: '7', status: 'running', input: [], ...part };
}

/** What all matches of a pattern have in their groups, with single spaces. */
function found(page: string, pattern: RegExp): string[][] {
	const matches = [...page.replace(/\s+/g, ' ').matchAll(pattern)];
	return matches.map(([, ...groups]) => groups.map((group) => group.trim()));
}

/** The texts between the tags. */
function texts(page: string): string[] {
	return found(page, />([^<]+)</g)
		.flat()
		.filter((text) => text !== '');
}

/** The texts from one on, up to another. */
function textsBetween(page: string, first: string, next: string): string[] {
	const all = texts(page);
	return all.slice(all.indexOf(first) + 1, all.indexOf(next));
}

const titleOf = (page: string) => found(page, /<title>(.*?)<\/title>/g).flat();
const detailsOf = (page: string) => textsBetween(page, 'Price Watcher', 'Why still waiting').at(0);
const reasonsOf = (page: string) => found(page, /<li>(.*?)<\/li>/g).flat();
const cardsOf = (page: string) => found(page, /<li class="card">(.*?)<\/li>/g).flat();
const linksOf = (page: string) => found(page, /<a [^>]*href="([^"]*)"[^>]*>(.*?)<\/a/g);
const buttonsOf = (page: string) => found(page, /<button [^>]*>(.*?)<\/button/g).flat();
const questionsOf = (page: string) => found(page, /data-confirm="([^"]*)"/g).flat();
const factsOf = (page: string) =>
	Object.fromEntries(
		found(page, /<dt>(.*?)<\/dt> <dd>(.*?)<\/dd>/g).map(([name, value]) => [name, value]),
	);

it.each<[string, Partial<StatusPage>]>([
	['2 running – Price Watcher', {}],
	['Paused – Price Watcher', { paused: 1 }],
	['Ended – Price Watcher', { open: 0, isDone: true }],
])('has the title %s', (title, part) => {
	expect(titleOf(pageWith(part))).toEqual([title]);
});

it('begins with the workflow and the bot', () => {
	const page = pageWith({});

	expect(textsBetween(page, 'Prices sleeps in n8n', detailsOf(page) ?? '')).toEqual([
		'Price Watcher',
	]);
});

it.each<[string, Partial<StatusPage>]>([
	['0 of 2 runs ended · Started 3 min 0 s ago · n8n waits for another 1 h 0 min', {}],
	[
		'3 of 6 runs ended · Started 3 min 0 s ago · n8n waits for another 1 h 0 min',
		{ items: 6, open: 1, unstarted: 2 },
	],
	['Started 3 min 0 s ago · n8n waits for another 1 h 0 min', { items: 1 }],
	['0 of 2 runs ended · n8n waits for another 1 h 0 min', { since: undefined }],
	['0 of 2 runs ended · Started 3 min 0 s ago · the wait limit is reached', { deadline: NOW }],
])('says how far the execution is: %s', (details, part) => {
	expect(detailsOf(pageWith(part))).toBe(details);
});

it.each([
	[-5 * SECOND, '0 s'],
	[499, '0 s'],
	[5 * SECOND, '5 s'],
	[59 * SECOND, '59 s'],
	[59.5 * SECOND, '1 min 0 s'],
	[599 * SECOND, '9 min 59 s'],
	[10 * MINUTE, '10 min'],
	[HOUR - SECOND, '59 min'],
	[HOUR, '1 h 0 min'],
	[26 * HOUR + 5 * MINUTE + 59 * SECOND, '26 h 5 min'],
])('tells %d milliseconds as %s', (milliseconds, words) => {
	expect(detailsOf(pageWith({ items: 1, since: NOW - milliseconds }))).toContain(
		`Started ${words} ago ·`,
	);
});

it('tells the outcome of what the person asked for', () => {
	expect(texts(pageWith({ notice: '1 of 1 run canceled.' }))).toContain('1 of 1 run canceled.');
});

describe('a paused run', () => {
	const liveView = 'https://live.example.com/8';
	const paused = runWith({ taskId: '8', status: 'paused', liveView });

	it.each<[string, Partial<StatusPage>]>([
		[
			'A run waits for somebody to do what the bot cannot. Do it in the live view, then resume the run.',
			{ paused: 1, runs: [runWith({ liveView: 'https://live.example.com/7' }), paused] },
		],
		[
			'2 runs wait for somebody to do what the bot cannot. Do it in the live view, then resume the run.',
			{ paused: 2, runs: [paused, runWith({ status: 'paused' })] },
		],
	])('leads a person to its live view: %s', (words, part) => {
		const page = pageWith(part);

		expect(textsBetween(page, 'Paused: a person is needed', 'Why still waiting')).toEqual([
			words,
			'Open the live view',
		]);
		expect(linksOf(page)).toContainEqual([liveView, 'Open the live view']);
	});

	it.each([
		['without a live view', [runWith({ status: 'paused' })]],
		['that is not among those shown', []],
	])('%s leads to the service', (_, runs) => {
		const page = pageWith({ paused: 1, runs });

		expect(textsBetween(page, 'Paused: a person is needed', 'Why still waiting')).toEqual([
			'A run waits for somebody to do what the bot cannot. Do it in the service, then resume the run.',
		]);
	});

	it('is not told of where there is none', () => {
		expect(texts(pageWith({}))).not.toContain('Paused: a person is needed');
	});
});

it.each<[string, string[], Partial<StatusPage>]>([
	['a run is open', ['1 run has not ended.'], { open: 1 }],
	['runs are open', ['2 runs have not ended.'], {}],
	[
		'an item has no run',
		['2 runs have not ended.', '1 item has no run yet.'],
		{ items: 3, unstarted: 1 },
	],
	[
		'items wait for a free slot',
		[
			'2 runs have not ended.',
			'3 items have no run yet: the plan’s limit of running tasks is reached.',
		],
		{ items: 5, unstarted: 3, isFull: true },
	],
	[
		'one run is left out',
		['3 runs have not ended.', '1 more run is not shown here.'],
		{ items: 3, open: 3 },
	],
	[
		'runs are left out',
		['4 runs have not ended.', '1 item has no run yet.', '3 more runs are not shown here.'],
		{ items: 6, open: 4, unstarted: 1 },
	],
	[
		'all have ended',
		['All runs have ended. n8n continues at its next check, or at once with Look now.'],
		{ open: 0, isDone: true },
	],
])('says why n8n waits where %s', (_, reasons, part) => {
	expect(reasonsOf(pageWith(part))).toEqual(reasons);
});

it.each<[string, string[], Partial<StatusPage>]>([
	['for the only open run, which has a button of its own', ['Look now'], { open: 1 }],
	['for several', ['Look now', 'Cancel all runs'], {}],
])('has the buttons %s', (_, buttons, part) => {
	expect(buttonsOf(pageWith({ ...part, runs: [] }))).toEqual(buttons);
});

it.each<[string, Partial<StatusPage>]>([
	['Cancel all 2 runs in the service?', {}],
	['Cancel all 2 runs in the service? Items that have no run yet will get none.', { unstarted: 1 }],
])('asks before it cancels all: %s', (question, part) => {
	expect(questionsOf(pageWith({ ...part, runs: [] }))).toEqual([question]);
});

describe('the card of a run', () => {
	/** The card of one run. */
	function cardWith(part: Partial<ShownRun>): string {
		return cardsOf(pageWith({ items: 1, open: 1, runs: [runWith(part)] })).join();
	}

	const all: Partial<ShownRun> = {
		botName: 'Another Bot',
		createdAt: NOW - 5 * SECOND,
		input: [
			['keyword', 'desk lamp'],
			['pages', '3'],
		],
		liveView: 'https://live.example.com/7',
		log: 'https://log.example.com/7',
		problem: 'It cannot be read at the moment: no answer',
	};

	it('shows all that is known of it', () => {
		expect(texts(cardWith(all))).toEqual([
			'running',
			'Run 7',
			'Another Bot created 5 s ago',
			'It cannot be read at the moment: no answer',
			...['keyword', 'desk lamp', 'pages', '3'],
			...['Live view', 'Log', 'Cancel run'],
		]);
		expect(linksOf(cardWith(all))).toEqual([
			['https://live.example.com/7', 'Live view'],
			['https://log.example.com/7', 'Log'],
		]);
	});

	it.each<[string, Partial<ShownRun>, string[]]>([
		['is not known', {}, ['running', 'Run 7', 'Cancel run']],
		['the page says already', { botName: 'Price Watcher' }, ['running', 'Run 7', 'Cancel run']],
	])('leaves out what %s', (_, part, shown) => {
		expect(texts(cardWith(part))).toEqual(shown);
	});

	it('says what unknown means, unless the reason is known', () => {
		const explained = /has not said yet how this run stands/;
		expect(cardWith({ status: 'unknown' })).toMatch(explained);
		expect(cardWith({ status: 'unknown', problem: 'No answer' })).not.toMatch(explained);
		expect(cardWith({})).not.toMatch(explained);
	});

	it('says of an item that has none why', () => {
		const page = pageWith({ runs: [{ status: 'refused', input: [], problem: 'No such bot' }] });

		expect(texts(cardsOf(page).join())).toEqual(['refused', 'No run', 'No such bot']);
	});

	it.each<ShownRun['status']>(['created', 'running', 'pausing', 'paused', 'unknown'])(
		'asks before it cancels one that is %s',
		(status) => {
			expect(questionsOf(cardWith({ status }))).toEqual(['Cancel run 7 in the service?']);
		},
	);

	it.each<ShownRun['status']>(['refused', 'finished', 'failed', 'canceled'])(
		'cancels none that is %s',
		(status) => {
			expect(buttonsOf(cardWith({ status }))).toEqual([]);
		},
	);
});

it('lets whoever was sent the link resume a run that is paused, and no other', () => {
	const runs = [runWith({ status: 'paused' }), runWith({ taskId: '8', status: 'pausing' })];
	const [paused = '', pausing = ''] = cardsOf(pageWith({ paused: 1, runs }));

	expect(buttonsOf(paused)).toEqual(['I am done: resume the run', 'Cancel run']);
	expect(paused).toContain('name="resume" value="7"');
	expect(buttonsOf(pausing)).toEqual(['Cancel run']);
});

it('shows what came of a button in place of the note that a person is needed', () => {
	const NEEDED = 'a person is needed';
	expect(pageWith({ paused: 1 })).toContain(NEEDED);
	expect(pageWith({ paused: 1, notice: 'Run 7 was resumed.' })).not.toContain(NEEDED);
});

it('has diagnostics to copy, which stay as they are while the page is shown anew', () => {
	const [, after = ''] = pageWith({}).split('</main>');

	expect(after).toContain('<pre>execution 7\nitem 0: 7, running</pre>');
});

it.each<[string, Partial<StatusPage>]>([
	['nothing to tell', {}],
	['no live view of a paused run', { paused: 1 }],
])('has no empty boxes where there is %s', (_, part) => {
	const [main] = found(pageWith(part), /<main id="page">(.*)<\/main>/g).flat();

	expect(main).not.toMatch(/<(p|li|dl|dd|section|strong|a)\b[^>]*>\s*<\/\1>/);
});

it('shows as text what the service tells, and never takes it for HTML', () => {
	const evil = `"'><script>alert(1)</script>&amp;`;
	const run = { botName: evil, input: [[evil, evil]] satisfies ShownRun['input'], problem: evil };
	const links = { liveView: `https://live.example.com/${evil}`, log: `https://${evil}` };
	const names = { name: evil, workflowName: evil, notice: evil };
	const activity = { refusedAt: NOW, refusal: evil };
	const told = { ...names, activity, runs: [runWith({ ...run, ...links }), runWith(run)] };
	const page = pageWith(told);

	expect(page).not.toContain('<script>alert');
	expect(page).not.toContain(`"'>`);
	expect(page).toContain('&#60;script&#62;alert(1)&#60;/script&#62;&#38;amp;');
});

describe('what n8n has heard', () => {
	it('is told by how long ago it was', () => {
		const activity = {
			lookedAt: NOW - 5 * SECOND,
			calledBackAt: NOW - 20 * MINUTE,
			refusedAt: NOW - HOUR,
			refusal: 'Out of order',
		};

		expect(factsOf(pageWith({ activity, nextLook: NOW + 2 * MINUTE }))).toEqual({
			'Last look': '5 s ago',
			'Next look': 'in about 2 min 0 s',
			'Last callback': '20 min ago',
			'Last refusal': '1 h 0 min ago: Out of order',
		});
	});

	it('is nothing at first', () => {
		expect(factsOf(pageWith({}))).toEqual({
			'Last look': 'not known here',
			'Next look': 'at the next callback',
			'Last callback': 'none known here',
			'Last refusal': 'none known here',
		});
	});

	it('has a next look, for which n8n’s clock may be late', () => {
		expect(factsOf(pageWith({ nextLook: NOW }))).toMatchObject({
			'Next look': 'in less than a minute',
		});
	});
});

it.each([
	[5, 'up to five runs', 5],
	[15, 'more', 6],
])('is shown anew every %s s with %s', (seconds, _, count) => {
	const runs = Array.from({ length: count }, (__, index) => runWith({ taskId: `${index}` }));

	expect(pageWith({ runs })).toContain(`<body data-refresh="${seconds}">`);
});

it('leads back to the execution, now and when it has ended', () => {
	expect(linksOf(pageWith({ runs: [] }))).toEqual([
		[EXECUTION_URL, 'The execution in n8n'],
		[EXECUTION_URL, 'Go back to n8n'],
		[EXECUTION_URL, 'Go back to n8n'],
	]);
});

it('tells a stranger nothing', () => {
	expect(texts(toClosedPage())).toContain(
		'This link belongs to no waiting execution. Open it anew from the node in n8n.',
	);
});

it('tells what the runs have used so far, each and together, as far as the service tells', () => {
	const runs = [runWith({ credit: 1.1, steps: 3 }), runWith({ taskId: '8', credit: 2.2 })];
	const page = pageWith({ runs: [...runs, runWith({ taskId: '9' })] });

	expect(factsOf(page)).toMatchObject({ 'Used so far': '3.3 credits, 3 steps' });
	expect(cardsOf(page)[0]).toContain('1.1 credits, 3 steps');
	expect(cardsOf(page)[1]).toContain('2.2 credits');
	expect(cardsOf(page)[2]).not.toMatch(/credits|steps/);
	expect(factsOf(pageWith({}))).not.toHaveProperty('Used so far');
});
