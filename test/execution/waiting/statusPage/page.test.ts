import { toStatusPage } from '../../../../nodes/BrowserAutomation/execution/waiting/statusPage/page';
import type {
	ShownRun,
	PageContent,
} from '../../../../nodes/BrowserAutomation/execution/waiting/statusPage/view';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const NOW = 1_000 * HOUR;
const EXECUTION_URL = 'https://n8n.example.com/workflow/w/executions/7';

/** Two runs of an execution that was begun three minutes ago, and may wait for another hour. */
function pageWith(part: Partial<PageContent>): string {
	return toStatusPage({
		...{ name: 'Price Watcher', workflowName: 'Prices', executionUrl: EXECUTION_URL, now: NOW },
		...{ startsSince: NOW - 3 * MINUTE, deadline: NOW + HOUR, nextPoll: NOW },
		...{ items: 2, progress: '0 of 2 runs ended', open: 2, unstarted: 0, paused: 0 },
		...{ waitsForSlot: false, queueText: undefined, isDone: false },
		...{ activity: {}, notice: undefined },
		runs: [runWith({}), runWith({ taskId: '8' })],
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

function texts(page: string): string[] {
	const all = found(page, />([^<]+)</g).flat();
	return all.filter((text) => text !== '');
}

const reasonsOf = (page: string) => found(page, /<li>(.*?)<\/li>/g).flat();
const cardsOf = (page: string) => found(page, /<li class="card">(.*?)<\/li>/g).flat();
const linksOf = (page: string) => found(page, /<a [^>]*href="([^"]*)"[^>]*>(.*?)<\/a/g);
const buttonsOf = (page: string) => found(page, /<button [^>]*>(.*?)<\/button/g).flat();
const questionsOf = (page: string) => found(page, /data-confirm="([^"]*)"/g).flat();

const STARTED = 'Started 3 min 0 s ago';
const WAITS = 'n8n waits for another 1 h 0 min';
const WENT_WRONG = { requestFailedAt: NOW - HOUR, requestError: 'Out of order' };
const POLLED = { activity: { polledAt: NOW - 5 * SECOND }, nextPoll: NOW + HOUR };
const checked = (last: string, next: string) => `Last checked: ${last}. Next check: ${next}.`;

it.each<[string, Partial<PageContent>]>([
	['2 running – Price Watcher', {}],
	['Paused – Price Watcher', { paused: 1 }],
	['Ended – Price Watcher', { open: 0, isDone: true }],
	[['0 of 2 runs ended', STARTED, WAITS].join(' · '), {}],
	[['0 of 2 runs ended', WAITS].join(' · '), { startsSince: undefined }],
	[`${STARTED} · the wait limit is reached`, { items: 1, deadline: NOW }],
	[checked('5 s ago', 'in at most 1 h 0 min'), POLLED],
	[checked('not yet', 'in at most 1 s'), { nextPoll: NOW + 400 }],
	[checked('not yet', 'in less than a minute'), { nextPoll: NOW }],
	['Last error, 1 h 0 min ago: Out of order', { activity: WENT_WRONG }],
])('says, in a text of its own: %s', (text, part) => {
	expect(texts(pageWith(part))).toContain(text);
});

it.each([
	[59 * SECOND, '59 s'],
	[59.5 * SECOND, '1 min 0 s'],
	[599 * SECOND, '9 min 59 s'],
	[10 * MINUTE, '10 min'],
	[26 * HOUR + 5 * MINUTE + 59 * SECOND, '26 h 5 min'],
])('tells %d milliseconds as %s', (milliseconds, words) => {
	const page = pageWith({ items: 1, startsSince: NOW - milliseconds });
	expect(texts(page)).toContain(`Started ${words} ago · ${WAITS}`);
});

describe('a paused run', () => {
	const NEEDED = 'Paused: a person is needed';
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
	])('leads a person to it: %s. %s (%d)', (words, where, count, runs, link) => {
		const page = pageWith({ paused: count, runs });
		const all = texts(page);

		expect(all.slice(all.indexOf(NEEDED) + 1, all.indexOf('Why still waiting'))).toEqual([
			`${words} for somebody to do what the bot cannot. ${where}, then press “I am done: resume the run”.`,
			...link.slice(1),
		]);
		const links = linksOf(page).filter(([, text = '']) => text.startsWith('Open the '));
		expect(links).toEqual(link.length > 0 ? [link] : []);
	});

	it('is not named where there is none, nor where the page says what came of a button', () => {
		const notice = 'Run 7 was resumed.';
		expect(texts(pageWith({}))).not.toContain(NEEDED);
		expect(texts(pageWith({ paused: 1, notice }))).not.toContain(NEEDED);
		expect(texts(pageWith({ paused: 1, notice }))).toContain(notice);
	});
});

const TWO = '2 runs have not ended.';
const NEXT = 'It is next in line.';
const FULL = '3 items have no run yet: the plan’s limit of running tasks is reached.';

it.each<[string[], Partial<PageContent>]>([
	[['1 run is paused.', '1 run has not ended.'], { paused: 1 }],
	[[TWO], {}],
	[[TWO, '1 item has no run yet.'], { items: 3, unstarted: 1 }],
	[[TWO, FULL, NEXT], { items: 5, unstarted: 3, waitsForSlot: true, queueText: NEXT }],
	[['1 run has not ended.', '3 more runs are not shown here.'], { items: 5, open: 1 }],
	[['Nothing is left to wait for: n8n continues.'], { open: 0, isDone: true }],
])('says why n8n waits: %j', (reasons, part) => {
	expect(reasonsOf(pageWith(part))).toEqual(reasons);
});

const UNSTARTED = 'Items that have no run yet will get none.';

it.each<[string[], Partial<PageContent>]>([
	[[], { open: 0, unstarted: 1 }],
	[[`Cancel the run in the service? ${UNSTARTED}`], { open: 1, unstarted: 1 }],
	[[UNSTARTED], { open: 0, unstarted: 2 }],
	[['Cancel all 2 runs in the service?'], {}],
])('has a button that cancels all, and asks before: %j', (questions, part) => {
	const page = pageWith({ ...part, runs: [] });
	const buttons = questions.length > 0 ? ['Check now', 'Cancel all runs'] : ['Check now'];

	expect([buttonsOf(page), questionsOf(page)]).toEqual([buttons, questions]);
});

describe('the card of a run', () => {
	function cardWith(part: Partial<ShownRun>): string {
		return cardsOf(pageWith({ items: 1, open: 1, runs: [runWith(part)] })).join();
	}

	const all: Partial<ShownRun> = {
		botName: 'Another Bot',
		createdAt: NOW - 5 * SECOND,
		liveView: 'https://live.example.com/7',
		log: 'https://log.example.com/7',
		problem: 'Login failed',
		credit: 1.1,
		steps: 1,
	};
	const known = 'Another Bot, created 5 s ago, 1.1 credits, 1 step';
	const cancel = 'Cancel run';

	it.each<[string, Partial<ShownRun>, string[]]>([
		['all that is known', all, [known, 'Login failed', 'Live view', 'Log', cancel]],
		['no name that the page says already', { botName: 'Price Watcher' }, [cancel]],
		['what it has used so far', { credit: 2.2 }, ['2.2 credits', cancel]],
	])('shows of it %s', (_, part, shown) => {
		expect(texts(cardWith(part))).toEqual(['running', 'Run 7', ...shown]);
		const links = [part.liveView, part.log].filter((link) => link !== undefined);
		expect(linksOf(cardWith(part)).map(([link]) => link)).toEqual(links);
	});

	it('says what unknown means, unless the reason is known', () => {
		const explained = /has not said yet how this run stands/;
		expect(cardWith({ status: 'unknown' })).toMatch(explained);
		expect(cardWith({ status: 'unknown', problem: 'No answer' })).not.toMatch(explained);
		expect(cardWith({})).not.toMatch(explained);
	});

	it('says of an item that has none why', () => {
		const page = pageWith({ runs: [{ item: 0, status: 'refused', problem: 'No such bot' }] });
		const shown = ['refused', 'No run', 'item 1 of 2', 'No such bot'];
		expect(texts(cardsOf(page).join())).toEqual(shown);
	});

	const resume = 'I am done: resume the run';

	it.each<[ShownRun['status'], string[]]>([
		['running', [cancel]],
		['paused', [resume, cancel]],
		['refused', []],
		['finished', []],
	])('that is %s has the buttons %j, and asks before it cancels', (status, buttons) => {
		const card = cardWith({ status });
		const questions = buttons.includes(cancel) ? ['Cancel run 7 in the service?'] : [];

		expect(buttonsOf(card)).toEqual(buttons);
		expect(questionsOf(card)).toEqual(questions);
		expect(card.includes('<div class="buttons">')).toBe(buttons.length > 0);
		expect(card.includes('name="resume" value="7"')).toBe(status === 'paused');
	});
});

it.each([0, 1])('has no empty boxes where there is nothing to tell: %d paused', (paused) => {
	const [main] = found(pageWith({ paused }), /<main id="page">(.*)<\/main>/g).flat();

	expect(main).not.toMatch(/<(p|li|dl|dd|section|strong|a)\b[^>]*>\s*<\/\1>/);
});

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

it('is shown anew every 5 s with up to five runs, every 15 s with more', () => {
	const refreshOf = (count: number) =>
		/data-refresh="(\d+)"/.exec(pageWith({ runs: Array(count).fill(runWith({})) }))?.[1];
	expect([refreshOf(5), refreshOf(6)]).toEqual(['5', '15']);
});

it('leads back to the execution, now and when it has ended', () => {
	const back = [EXECUTION_URL, 'Go back to n8n'];
	const links = [[EXECUTION_URL, 'The execution in n8n'], back, back];
	expect(linksOf(pageWith({ runs: [] }))).toEqual(links);
});
