import { join } from 'node:path';

import { catalogue } from '../../nodes/BrowserAutomation/resources/catalogue';
import { END_EVENTS, RUN_EVENTS } from '../../nodes/BrowserAutomation/service/events/runEvents';
import { RUN_STATUSES } from '../../nodes/BrowserAutomation/service/runs/runApi';
import { filesIn, read } from './markdown';

const LINK = /\[[^\]]+\]\((?:\.\.\/)+(test\/[^)]+)\):((?:,? "[^"]+")+)/g;

/** The tests that a page names, as `[file](path): "title", "title"`. */
function testsNamedIn(page: string): Array<{ page: string; place: string; title: string }> {
	return [...read(page).matchAll(LINK)].flatMap(([, place = '', titles = '']) =>
		[...titles.matchAll(/"([^"]+)"/g)].map(([, title = '']) => ({ page, place, title })),
	);
}

/** The tests that the page about waiting names: `` `file`: title; title ``, the beginnings of titles in a file or folder. */
const ofWaiting = [
	...read('docs/develop/waiting.md').matchAll(/\| `([^`|]+)`: ([^|]+?) *\|$/gm),
].flatMap(([, file = '', titles = '']) => {
	const place = file.startsWith('test/') ? file : join('test/execution/waiting', file);
	return titles.split('; ').map((title) => ({ page: 'docs/develop/waiting.md', place, title }));
});

const named = [
	...['docs/develop/promises.md', 'docs/develop/security.md'].flatMap(testsNamedIn),
	...ofWaiting,
];

it.each(named)('$page names a test of $place: $title', ({ place, title }) => {
	const text = filesIn(place, '.ts').map(read).join('\n');
	expect(text.replaceAll('’', "'")).toContain(title.replaceAll('’', "'"));
});

it.each([
	['security', /^\| They try/, /\.test\.ts\): "/],
	['waiting', /^\| What +\| Then +\| Test /, /\| `[^`]+`: [^|]+\|$/],
])('every line about what goes wrong in %s.md names one', (page, head, test) => {
	const parts = read(`docs/develop/${page}.md`).split('\n\n');
	const tables = parts.filter((part) => head.test(part));
	const claims = tables.flatMap((table) => table.trim().split('\n').slice(2));
	expect(claims.length).toBeGreaterThan(20);
	expect(claims.filter((line) => !test.test(line))).toEqual([]);
});

it('the page of triggers for users has all events, as the editor and the items call them, and which are ticked', () => {
	const [, events = ''] = /## Events\n([^]*?)\n## /.exec(read('docs/use/triggers.md')) ?? [];
	const titles = [...events.matchAll(/\*\*([A-Z][\w ]+)\*\*/g)].map(([, title]) => title);
	const all: readonly string[] = Object.values(RUN_EVENTS).map(([title]) => title);
	expect(titles.filter((title) => all.includes(String(title))).sort()).toEqual([...all].sort());
	const names = [...events.matchAll(/`(run\w+)`/g)].map(([, name]) => name);
	expect(names.sort()).toEqual(Object.keys(RUN_EVENTS).sort());
	const [, ticked = ''] = /by default (.*?);/.exec(events) ?? [];
	const ends = END_EVENTS.map((name) => RUN_EVENTS[name][0]);
	expect([...ticked.matchAll(/\*\*(\w+)\*\*/g)].map(([, title]) => title)).toEqual(ends);
});

it('the README names every resource, in a group', () => {
	const [, list = ''] = /## What the node can do\n([^]*?)\n## /.exec(read('README.md')) ?? [];
	const groups = [...list.matchAll(/^- \*\*(.*?)\*\*: /gm)].flatMap(([, names = '']) =>
		names.replace(/\[([^\]]+)\]\([^)]+\)/g, '$1').split(', '),
	);
	expect(groups.sort()).toEqual(catalogue.map(({ name }) => name).sort());
});

it('the page about the service has the statuses that the code knows', () => {
	const [, statuses = ''] = /A run is (.*?);/.exec(read('docs/service.md')) ?? [];
	const named = [...statuses.matchAll(/`(\w+)`/g)].map(([, status]) => status);
	expect(named.sort()).toEqual([...RUN_STATUSES].sort());
});

const WAITING = 'execution/waiting';

/** What pages state in numbers (`%`), and the constant that it is (a regular expression of its name), in the pages' unit. */
const NUMBERS: Array<[page: string, words: string, file: string, constant: string, unit?: number]> =
	[
		['README.md', 'at most % runs in one execution', 'fields/waiting.ts', 'MAX_RUNS_OF_TOOL'],
		['docs/use/agents.md', 'at most % runs', 'fields/waiting.ts', 'MAX_RUNS_OF_TOOL'],
		['docs/use/costs.md', 'up to % runs in one', 'fields/waiting.ts', 'MAX_RUNS_OF_TOOL'],
		['docs/use/agents.md', 'in % characters', 'methods/argumentNames.ts', 'ARGUMENT_LENGTH'],
		['docs/use/agents.md', 'At most % characters', 'execution/toolUse.ts', 'MAX_CHARACTERS'],
		['docs/use/triggers.md', 'about % events', 'service/events/runPoller.ts', 'MAX_EVENTS'],
		['docs/use/triggers.md', 'the last % runs', 'triggers/triggerState.ts', 'KEPT'],
		['docs/use/triggers.md', 'every % minutes', 'triggers/openRuns.ts', 'EVERY_MS', 60_000],
		['docs/use/google-sheets.md', 'the last % rows', 'execution/sharedRecord.ts', 'MAX_ROWS'],
		['docs/use/waiting.md', 'after % minutes', `${WAITING}/schedule.ts`, 'EARLY_FOR_MS', 60_000],
		['docs/service.md', 'waits % seconds', 'service/http/credential.ts', "Seconds\\)', default"],
		['docs/service.md', 'up to % MB', 'service/http/credential.ts', "MB\\)', default"],
		['docs/service.md', 'after % pages', 'service/http/pages.ts', 'MAX_PAGES'],
		['docs/service.md', 'after % such answers', 'service/runs/statuses.ts', 'STRANGE_POLLS'],
		['docs/service.md', 'allows % minutes', 'service/runs/statuses.ts', 'CLOCK_MARGIN_MS', 60_000],
		['docs/service.md', '| % characters', 'fields/records.ts', 'KEYWORD_LENGTH'],
		['docs/service.md', '| % characters', 'service/events/callback.ts', 'CALLBACK_URL_MAX_LENGTH'],
	];

const SPELLED = new Map(
	Object.entries({ two: 2, four: 4, five: 5, ten: 10, thirteen: 13, twenty: 20 }),
);

const UNITS: Readonly<Record<string, number>> = { SECOND: 1_000, MINUTE: 60_000 };

function constantIn(file: string, name: string): number {
	const code = read(`nodes/BrowserAutomation/${file}`);
	const [, factors] = new RegExp(`\\b${name}(?: =|:) ([\\w *]+?)(?:[;,]| })`).exec(code) ?? [];
	return (factors ?? '').split(/ \* /).reduce((product, factor) => {
		const [base = '', power = '1'] = factor.replaceAll('_', '').split(' ** ');
		return product * (UNITS[base] ?? Number(base)) ** Number(power);
	}, 1);
}

it.each(NUMBERS)('%s says "%s" as %s has it in %s', (page, words, file, constant, unit = 1) => {
	const pattern = words.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replace('%', '([\\w,.]+)');
	const stated = [...read(page).matchAll(new RegExp(pattern, 'g'))].map(([, number = '']) => {
		return SPELLED.get(number) ?? Number(number.replaceAll(',', ''));
	});
	expect(stated).toContain(constantIn(file, constant) / unit);
});

it('reviewers are told how many files of n8n the package relies on', () => {
	const [, count = ''] = /relies on (\w+) files of n8n/.exec(read('docs/run/security.md')) ?? [];
	const files = read('tools/n8nChanges').match(/^\tn8n[\w-]*\//gm) ?? [];
	expect(SPELLED.get(count)).toBe(files.length);
});

it('every citation of the service’s page, as `docs/service.md: Limits` or `…: Errors, rule 3`, leads to a heading of it', () => {
	const found = read('docs/service.md').matchAll(/^##+ (.+)$/gm);
	const headings = [...found].map(([, heading]) => heading);
	const cited = ['nodes', 'dev/sandbox']
		.flatMap((folder) => filesIn(folder, '.ts'))
		.flatMap((file) => {
			const text = read(file).replace(/\n\s*(?:\*|\/\/)\s/g, ' ');
			const citations = text.matchAll(/docs\/service\.md: ([^)]+)\)/g);
			return [...citations].flatMap(([, list = '']) => list.split('; '));
		});
	expect(cited.length).toBeGreaterThan(50);
	const lost = cited.filter((heading) => !headings.includes(heading.replace(/, rule \d$/, '')));
	expect(lost).toEqual([]);
});

it('the picture of the modules shows the imports that ESLint allows', () => {
	const [, stated = ''] = /const MODULES = \{([^}]*)\}/.exec(read('eslint.config.mjs')) ?? [];
	const allowed = [...stated.matchAll(/(\w+): \[([^\]]*)\]/g)].map(([, module = '', open = '']) => [
		module,
		(open.match(/\w+/g) ?? []).sort(),
	]);

	const drawn = [
		...read('docs/develop/architecture.md').matchAll(/^ {4}([\w &]+) --> ([\w &]+)$/gm),
	];
	const arrows = drawn.flatMap(([, from = '', to = '']) =>
		from.split(' & ').flatMap((module) => to.split(' & ').map((next) => [module, next] as const)),
	);
	const below = (module: string): string[] =>
		arrows.filter(([from]) => from === module).flatMap(([, to]) => [to, ...below(to)]);
	const shown = allowed.map(([module]) => [module, [...new Set(below(String(module)))].sort()]);

	expect(allowed.length).toBeGreaterThan(5);
	expect(shown).toEqual(allowed);
});
