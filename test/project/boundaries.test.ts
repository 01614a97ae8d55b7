import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

import { filesIn, read, ROOT } from './markdown';

/** A line that somebody might write in a folder of the package, or in the place of one of its files. */
interface Snippet {
	place: string;
	what: string;
	code: string;
	/** How what ESLint says of it begins; undefined where it is allowed. */
	says: string | undefined;
}

/** What a module, or a file of one, may not import, and what it may. The table of all modules is shown by docs.test.ts. */
const IMPORTS: Array<[place: string, refused: string, allowed?: string]> = [
	['service', '../transport/client'],
	['service/schema', '../../execution/router', '../errors'],
	['execution', '../triggers/poll', '../fields/waiting'],
	['execution/waiting', '../../fields/waiting', '../../transport/client'],
	['execution/waiting', '../../service/runs/oneRun', '../../service/runs/runs'],
	['execution/waiting/batch/ledger.ts', '../nextStep', './waves'],
	['execution/waiting/nextStep.ts', './suspension/suspensions', './batch/ledger'],
	['execution/waiting/suspension/claim.ts', '../statusPage', '../nextStep'],
	['execution/waiting/statusPage/view.ts', '../executeRuns', '../suspension/watcher'],
	['resources', '../triggers/poll'],
	['resources/operation.ts', '../BrowserAutomation.node', '../execution/handlers'],
];

const OF_MODULES = IMPORTS.flatMap(([place, refused, allowed]) =>
	[refused, allowed].flatMap((target, index) => {
		if (target === undefined) return [];
		const says = index === 0 ? 'import-x/no-restricted-paths: .*architecture\\.md' : undefined;
		return [{ place, what: `an import of ${target}`, code: `import '${target}';`, says }];
	}),
);

/** A function that is given an execution and does `body` with it. */
function withContext(body: string, given = 'context'): string {
	return `
import type { IExecuteFunctions } from 'n8n-workflow';
export async function violation(${given}: IExecuteFunctions): Promise<unknown> {
	${body}
}`;
}

function withHelpers(body: string): string {
	return withContext(body, '{ helpers }');
}

const CALL = withHelpers("return await helpers.httpRequest({ url: 'https://example.com' });");

const EVERYWHERE = ['service', 'transport', 'execution/waiting'];

/** What is refused: how it is said, where, and ways to do it. The first way is tried in all places, the others in the first place. */
const REFUSED: Array<[says: string, places: string[], ways: Record<string, string>]> = [
	[
		'no-restricted-imports: ',
		['service'],
		{
			'what n8n gives packages': "import { sleep } from 'n8n-workflow';\nvoid sleep(1);",
			'what is handed on from n8n': "export { sleep } from 'n8n-workflow';",
			'a package by its path': "export * from '../../../node_modules/n8n-core/dist/index';",
		},
	],
	[
		'no-restricted-imports: ',
		EVERYWHERE,
		{
			'a package that only tests need': "import 'playwright-core';",
			'a module of Node.js': "import 'node:http';",
		},
	],
	[
		'no-restricted-imports: ',
		['transport'],
		{ 'a file inside of n8n-workflow': "import 'n8n-workflow/dist/cjs';" },
	],
	[
		'no-restricted-globals: ',
		EVERYWHERE,
		{
			fetch: "void fetch('https://example.com');",
			'a web socket': "void new WebSocket('wss://example.com');",
			'fetch in spite of a comment': "/* eslint-disable */\nvoid fetch('https://example.com');",
			'a module by way of this one': "void module.require('http');",
		},
	],
	[
		'@n8n/community-nodes/no-restricted-globals: ',
		EVERYWHERE,
		{
			'a timer that keeps n8n from ending': 'setTimeout(() => undefined, 1);',
			'fetch by way of all globals': "void globalThis['fetch']('https://example.com');",
			'a module by way of the process': "void process.getBuiltinModule('http');",
		},
	],
	[
		'no-restricted-syntax: Imports',
		[...EVERYWHERE, 'resources'],
		{ 'an import while it runs': "void import('luxon');" },
	],
	[
		'@typescript-eslint/consistent-type-imports: ',
		['service'],
		{ 'a type imported in its place': "export type Violation = import('n8n-workflow').INode;" },
	],
	[
		'no-restricted-syntax: Only transport',
		['triggers', 'execution/files', 'methods', 'resources', 'fields', '../../credentials'],
		{
			'a request': CALL,
			'a request taken out': withHelpers('const { httpRequest } = helpers;'),
			'an older request taken out': withContext('const { request } = context.helpers;'),
			'helpers under another name': withContext('return await tools.a();', '{ helpers: tools }'),
			'helpers handed on': withHelpers('return await Object.values(helpers)[0]();'),
			'helpers in another object': withHelpers('return [{ helpers }];'),
			'a request by its text': withHelpers("return await helpers['request']();"),
			'a name put together': withContext("return await context.helpers[`${'http'}Request`]();"),
			'helpers by their text': withContext("return Reflect.get(context, 'helpers');"),
			'helpers in backticks': withContext('return context[`helpers`];'),
		},
	],
	[
		'no-restricted-syntax: Operations hold no loops',
		['resources'],
		{
			'a loop': 'for (const page of [1, 2]) void page;',
			'a request': 'export const violation = (given: Given) => given.send();',
			'a request by its text': "export const violation = (given: Given) => given['send']();",
			'a request taken out': 'export const violation = ({ send }: Given) => send();',
			'a name put together': "export const violation = (given: Given) => given['se' + 'nd']();",
			'a request of another module': 'export const violation = (call: Given) => read(call.client);',
			'one under another name': "import { readRun as look } from '../service/runs/oneRun';",
			'requests that nobody waits for': 'export const violation = (id: string) => void item(id);',
			'requests by a list’s function': 'export const violation = Promise.all([1].map(read));',
			'requests by calling itself': 'export const violation = async () => await violation();',
			'requests one after the other': 'export const violation = () => read(1).then(() => read(2));',
		},
	],
	[
		'no-restricted-syntax: Express',
		['execution/waiting', 'triggers', 'transport', 'resources', 'execution/host.ts'],
		{
			'what Express gives': withContext('return context.getResponseObject();'),
			'the same by a cast': withContext(
				'return (context as { getResponseObject() }).getResponseObject();',
			),
			'the same by its text': withContext("return context['getRequestObject']();"),
		},
	],
	[
		'no-restricted-syntax: What is noted',
		['execution', 'triggers', 'transport', 'resources', 'execution/webhook.ts'],
		{
			'what is noted with an execution': withContext("return context.getContext('flow');"),
			'the same by its text': withContext("return Reflect.get(context, 'getContext');"),
		},
	],
	[
		'@typescript-eslint/consistent-type-assertions: ',
		['execution', '../../credentials'],
		{ 'a cast': "export const violation = JSON.parse('1') as number;" },
	],
];

const snippets: Snippet[] = [
	...OF_MODULES,
	...REFUSED.flatMap(([says, places, ways]) =>
		Object.entries(ways).flatMap(([what, code], index) =>
			(index === 0 ? places : places.slice(0, 1)).map((place) => ({ place, what, code, says })),
		),
	),
	{ place: 'transport', what: 'a request', code: CALL, says: undefined },
	{
		place: 'execution/files',
		what: 'another helper of n8n',
		code: withHelpers("return await helpers.prepareBinaryData(Buffer.from(''));"),
		says: undefined,
	},
];

/** Lints snippets in a process of its own, because ESLint loads its configuration as a module. */
const LINT = `
	const { ESLint } = require('eslint');
	const { disableTypeChecked } = require('typescript-eslint').configs;
	const eslint = new ESLint({ overrideConfig: disableTypeChecked });
	const lint = async ({ place, code }) => {
		const filePath = 'nodes/BrowserAutomation/' + place + (place.endsWith('.ts') ? '' : '/violation.ts');
		const [{ messages }] = await eslint.lintText(code + '\\n', { filePath });
		return messages.map(({ ruleId, message }) => ruleId + ': ' + message);
	};
	(async () => {
		const found = await Promise.all(JSON.parse(process.argv[1]).map(lint));
		const { rules } = await new ESLint().calculateConfigForFile('nodes/BrowserAutomation/subtitle.ts');
		console.log(JSON.stringify({ found, rules }));
	})();
`;

let linted: { found: string[][]; rules: Record<string, unknown[]> };

beforeAll(async () => {
	const { stdout } = await promisify(execFile)(
		process.execPath,
		['-e', LINT, JSON.stringify(snippets)],
		{ cwd: ROOT },
	);
	linted = JSON.parse(stdout);
}, 600_000);

it.each(
	snippets.map((snippet, index) => ({ ...snippet, index, verdict: snippet.says ?? 'allowed' })),
)('in $place, $what: $verdict', ({ says, index }) => {
	const said = linted.found[index];
	if (says === undefined) expect(said).toEqual([]);
	else expect(said).toContainEqual(expect.stringMatching(new RegExp(`^${says}`)));
});

/** What only the types show, which is asked of the rules: the types of a whole project take long to find out. */
const TYPE_AWARE = ['floating-promises', 'misused-promises', 'unsafe-assignment', 'unsafe-call'];

it.each(TYPE_AWARE)('what only the types show is an error: no-%s', (rule) => {
	expect(linted.rules[`@typescript-eslint/no-${rule}`]?.[0]).toBe(2);
});

function classesOfErrors(code: string) {
	const found = code.matchAll(/class(?: (\w+))? extends [\w.]*(?:Error|Failure)\b/g);
	return [...found].map(([, name = 'one without a name']) => name);
}

it('every class of errors stands in the table of errors, and no other does', () => {
	const sources = filesIn('nodes', '.ts').map(read);
	const [, table = ''] = read('docs/develop/architecture.md').split('\n## Errors\n');
	const rows = [...(table.split('\n## ')[0] ?? '').matchAll(/^\| `(\w+)`/gm)];
	expect(rows.length).toBeGreaterThan(5);
	expect(sources.flatMap(classesOfErrors).sort()).toEqual(rows.map(([, name]) => name).sort());
});
