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
		firstStartedAt: NOW - 3 * MINUTE,
		deadline: NOW + HOUR,
		nextPoll: undefined,
		items: 2,
		progress: '0 of 2 runs ended',
		open: 2,
		unstarted: 0,
		isFull: false,
		inQueue: undefined,
		paused: 0,
		isDone: false,
		runs: [runWith({}), runWith({ taskId: '8' })],
		activity: {},
		notice: undefined,
		...part,
	});
}

function runWith(part: Partial<ShownRun>): ShownRun {
	return { item: 0, taskId: '7', status: 'running', ...part };
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
const reasonsOf = (page: string) => found(page, /<li>(.*?)<\/li>/g).flat();
const cardsOf = (page: string) => found(page, /<li class="card">(.*?)<\/li>/g).flat();
const linksOf = (page: string) => found(page, /<a [^>]*href="([^"]*)"[^>]*>(.*?)<\/a/g);
const buttonsOf = (page: string) => found(page, /<button [^>]*>(.*?)<\/button/g).flat();
const questionsOf = (page: string) => found(page, /data-confirm="([^"]*)"/g).flat();
it.each<[string, Partial<StatusPage>]>([
	['2 running – Price Watcher', {}],
	['Paused – Price Watcher', { paused: 1 }],
	['Ended – Price Watcher', { open: 0, isDone: true }],
])('has the title %s', (title, part) => {
	expect(titleOf(pageWith(part))).toEqual([title]);
});

const STARTED = 'Started 3 min 0 s ago';
const WAITS = 'n8n waits for another 1 h 0 min';

it.each<[string[], Partial<StatusPage>]>([
	[['0 of 2 runs ended', STARTED, WAITS], {}],
	[['3 of 6 runs ended, 1 failed', STARTED, WAITS], { progress: '3 of 6 runs ended, 1 failed' }],
	[[STARTED, WAITS], { items: 1 }],
	[['0 of 2 runs ended', WAITS], { firstStartedAt: undefined }],
	[['0 of 2 runs ended', STARTED, 'the wait limit is reached'], { deadline: NOW }],
])('names workflow and bot, and says how far the execution is: %j', (details, part) => {
	expect(textsBetween(pageWith(part), 'Prices sleeps in n8n', 'Why still waiting')).toEqual([
		'Price Watcher',
		details.join(' · '),
	]);
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
	const page = pageWith({ items: 1, firstStartedAt: NOW - milliseconds });
	expect(texts(page)).toContain(`Started ${words} ago · ${WAITS}`);
});

describe('a paused run', () => {
	const liveView = 'https://live.example.com/8';
	const log = 'https://log.example.com/8';
	const paused = runWith({ taskId: '8', status: 'paused', liveView, log });
	const logged = runWith({ taskId: '8', status: 'paused', log });
	const unseen = runWith({ status: 'paused' });
	const another = runWith({ liveView: 'https://live.example.com/7' });
	const here = 'Do it in the live view';
	const there = 'Open the log to see where the bot stopped. Do there what it cannot';

	it.each<[string, string, number, ShownRun[], string[]]>([
		['A run waits', here, 1, [another, paused], [liveView, 'Open the live view']],
		['2 runs wait', here, 2, [paused, unseen], [liveView, 'Open the live view']],
		['A run waits', there, 1, [another, logged], [log, 'Open the log']],
		['A run waits', 'Do it in the service', 1, [unseen], []],
		['A run waits', 'Do it in the service', 1, [], []],
	])('leads a person to it: %s. %s (%d)', (words, where, count, runs, link) => {
		const page = pageWith({ paused: count, runs });

		expect(textsBetween(page, 'Paused: a person is needed', 'Why still waiting')).toEqual([
			`${words} for somebody to do what the bot cannot. ${where}, then press “I am done: resume the run”.`,
			...link.slice(1),
		]);
		const links = linksOf(page).filter(([, text = '']) => text.startsWith('Open the '));
		expect(links).toEqual(link.length > 0 ? [link] : []);
	});

	it('is not named where there is none, nor where the page says what came of a button', () => {
		const NEEDED = 'Paused: a person is needed';
		const notice = 'Run 7 was resumed.';
		expect(texts(pageWith({}))).not.toContain(NEEDED);
		expect(texts(pageWith({ paused: 1, notice }))).not.toContain(NEEDED);
		expect(texts(pageWith({ paused: 1, notice }))).toContain(notice);
	});
});

const TWO = '2 runs have not ended.';
const OVER = 'All runs have ended, and n8n continues.';
const NEXT = 'It is next in line.';
const FULL = '3 items have no run yet: the plan’s limit of running tasks is reached.';

it.each<[string[], Partial<StatusPage>]>([
	[['1 run is paused.', '1 run has not ended.'], { paused: 1 }],
	[['1 run is paused.'], { open: 1, paused: 1 }],
	[[TWO], {}],
	[[TWO, '1 item has no run yet.'], { items: 3, unstarted: 1 }],
	[[TWO, FULL, NEXT], { items: 5, unstarted: 3, isFull: true, inQueue: NEXT }],
	[['3 runs have not ended.', '1 more run is not shown here.'], { items: 3, open: 3 }],
	[['1 run has not ended.', '3 more runs are not shown here.'], { items: 5, open: 1 }],
	[[OVER], { open: 0, isDone: true }],
])('says why n8n waits: %j', (reasons, part) => {
	expect(reasonsOf(pageWith(part))).toEqual(reasons);
});

it.each([
	['no room for buttons', undefined, 1],
	['its log', 'https://service.example.com/log', 2],
])('a run that has ended has %s', (_, log, places) => {
	const page = pageWith({ runs: [{ item: 0, taskId: '7', status: 'finished', log }] });

	expect(page.match(/<div class="buttons">/g)).toHaveLength(places);
});

const ASKS = 'Cancel all 2 runs in the service?';
const UNSTARTED = 'Items that have no run yet will get none.';

it.each<[string[], string[], Partial<StatusPage>]>([
	[['Check now'], [], { open: 1 }],
	[['Check now'], [], { open: 0, unstarted: 1 }],
	[
		['Check now', 'Cancel all runs'],
		[`Cancel the run in the service? ${UNSTARTED}`],
		{ open: 1, unstarted: 1 },
	],
	[['Check now', 'Cancel all runs'], [UNSTARTED], { open: 0, unstarted: 2 }],
	[['Check now', 'Cancel all runs'], [ASKS], {}],
	[['Check now', 'Cancel all runs'], [`${ASKS} ${UNSTARTED}`], { unstarted: 1 }],
])('has the buttons %j, and asks before it cancels all: %j', (buttons, questions, part) => {
	const page = pageWith({ ...part, runs: [] });

	expect([buttonsOf(page), questionsOf(page)]).toEqual([buttons, questions]);
});

describe('the card of a run', () => {
	/** The card of one run. */
	function cardWith(part: Partial<ShownRun>): string {
		return cardsOf(pageWith({ items: 1, open: 1, runs: [runWith(part)] })).join();
	}

	const all: Partial<ShownRun> = {
		botName: 'Another Bot',
		createdAt: NOW - 5 * SECOND,
		liveView: 'https://live.example.com/7',
		log: 'https://log.example.com/7',
		problem: 'Login failed',
	};

	it('shows all that is known of it', () => {
		expect(texts(cardWith(all))).toEqual([
			'running',
			'Run 7',
			'Another Bot, created 5 s ago',
			'Login failed',
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
		const page = pageWith({ runs: [{ item: 0, status: 'refused', problem: 'No such bot' }] });

		expect(texts(cardsOf(page).join())).toEqual([
			'refused',
			'No run',
			'item 1 of 2',
			'No such bot',
		]);
	});

	const cancel = 'Cancel run';

	const resume = 'I am done: resume the run';

	it.each<[ShownRun['status'], string[]]>([
		['created', [cancel]],
		['running', [cancel]],
		['pausing', [cancel]],
		['paused', [resume, cancel]],
		['unknown', [cancel]],
		['refused', []],
		['finished', []],
		['failed', []],
		['canceled', []],
	])('that is %s has the buttons %j, and asks before it cancels', (status, buttons) => {
		const card = cardWith({ status });

		expect(buttonsOf(card)).toEqual(buttons);
		expect(questionsOf(card)).toEqual(
			buttons.includes(cancel) ? ['Cancel run 7 in the service?'] : [],
		);
		expect(card.includes('name="resume" value="7"')).toBe(status === 'paused');
	});
});

it.each([0, 1])(
	'has no empty boxes where there is nothing to tell, of %d paused runs',
	(paused) => {
		const [main] = found(pageWith({ paused }), /<main id="page">(.*)<\/main>/g).flat();

		expect(main).not.toMatch(/<(p|li|dl|dd|section|strong|a)\b[^>]*>\s*<\/\1>/);
	},
);

it('shows as text what the service tells, and never takes it for HTML', () => {
	const evil = `"'><script>alert(1)</script>&amp;`;
	const run = { botName: evil, problem: evil };
	const links = { liveView: `https://live.example.com/${evil}`, log: `https://${evil}` };
	const names = { name: evil, workflowName: evil, notice: evil };
	const activity = { requestFailedAt: NOW, requestError: evil };
	const known = { ...names, activity, runs: [runWith({ ...run, ...links }), runWith(run)] };
	const page = pageWith(known);

	expect(page).not.toContain('<script>alert');
	expect(page).not.toContain(`"'>`);
	expect(page).toContain('&#60;script&#62;alert(1)&#60;/script&#62;&#38;amp;');
});

const polled = { polledAt: NOW - 5 * SECOND };

it.each<[string, Partial<StatusPage>, string, string]>([
	[
		'by how long ago it was',
		{ activity: polled, nextPoll: NOW + HOUR },
		'5 s ago',
		'in at most 1 h 0 min',
	],
	['where it is nothing yet', {}, 'not yet', 'at the next callback'],
	['in whole seconds', { nextPoll: NOW + 400 }, 'not yet', 'in at most 1 s'],
	['where n8n’s wait timer may be late', { nextPoll: NOW }, 'not yet', 'in less than a minute'],
])('says when n8n checks: %s', (_, part, last, next) => {
	expect(texts(pageWith(part))).toContain(`Last checked: ${last}. Next check: ${next}.`);
});

it('says what went wrong last, and how long ago', () => {
	const page = pageWith({
		activity: { requestFailedAt: NOW - HOUR, requestError: 'Out of order' },
	});

	expect(texts(page)).toContain('Last error, 1 h 0 min ago: Out of order');
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

it('tells what each run has used so far, as far as the service tells', () => {
	const runs = [runWith({ credit: 1.1, steps: 1 }), runWith({ taskId: '8', credit: 2.2 })];
	const page = pageWith({ runs: [...runs, runWith({ taskId: '9' })] });

	expect(cardsOf(page)[0]).toContain('1.1 credits, 1 step');
	expect(cardsOf(page)[1]).toContain('2.2 credits');
	expect(cardsOf(page)[2]).not.toMatch(/credits|steps/);
});
