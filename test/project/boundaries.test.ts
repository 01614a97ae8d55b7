import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

import { filesIn, read, ROOT } from './markdown';

/** A line that somebody might write in a folder of the package, or in the place of one of its files. */
interface Snippet {
	place: string;
	code: string;
}

/**
 * Lints snippets in a process of its own, because ESLint loads its configuration as a module. Types are
 * only known of files that are there.
 */
const LINT = `
	const { ESLint } = require('eslint');
	const { disableTypeChecked } = require('typescript-eslint').configs;
	const withTypes = new ESLint();
	const withoutTypes = new ESLint({ overrideConfig: disableTypeChecked });
	Promise.all(JSON.parse(process.argv[1]).map(async ({ place, code }) => {
		const isFile = place.endsWith('.ts');
		const filePath = 'nodes/BrowserAutomation/' + place + (isFile ? '' : '/violation.ts');
		const eslint = isFile ? withTypes : withoutTypes;
		const [{ messages }] = await eslint.lintText(code + '\\n', { filePath });
		return messages.map(({ ruleId, message }) => ruleId + ': ' + message);
	})).then((found) => console.log(JSON.stringify(found)));
`;

/** Only what hangs takes so long: linting is half a minute of work, which a busy machine spreads over many. */
const HANGS_AFTER_MS = 600_000;

const snippets: Snippet[] = [];
let found: string[][] = [];

beforeAll(async () => {
	const { stdout } = await promisify(execFile)(
		process.execPath,
		['-e', LINT, JSON.stringify(snippets)],
		{ cwd: ROOT },
	);
	found = JSON.parse(stdout);
}, HANGS_AFTER_MS);

/** Lints a line; what ESLint says of it is known when the tests run. */
function lint(place: string, code: string): () => string[] {
	const index = snippets.push({ place, code }) - 1;
	return () => found[index] ?? ['nothing was linted'];
}

const BOUNDARY = expect.stringMatching(/^import-x\/no-restricted-paths: .*architecture\.md/);

/** Of each module, what it may not import, and what it may. */
const IMPORTS: Array<[folder: string, refused: string[], allowed: string[]]> = [
	['service', ['../fields/parseValue', '../triggers/poll', '../transport/client'], []],
	['service/schema', ['../../execution/router'], ['../errors']],
	[
		'fields',
		['../execution/router', '../resources/catalogue', '../transport/client'],
		['../service/errors'],
	],
	['transport', ['../fields/parseValue', '../execution/failures'], ['../service/errors']],
	[
		'execution',
		['../resources/catalogue', '../triggers/poll', '../methods/lists'],
		['../fields/waiting'],
	],
	[
		'execution/waiting',
		['../../resources/catalogue', '../../fields/waiting', '../../service/runs/oneRun'],
		['../../transport/client', '../../service/runs/runs'],
	],
	['execution/waiting/batch/ledger.ts', ['../nextStep', '../suspension/watcher'], ['./waves']],
	['execution/waiting/nextStep.ts', ['./suspension/suspensions'], ['./batch/ledger']],
	['execution/waiting/suspension/claim.ts', ['../statusPage', './resume'], ['../nextStep']],
	['execution/waiting/statusPage/view.ts', ['../executeRuns'], ['../suspension/watcher']],
	['resources', ['../methods/lists', '../triggers/poll', '../BrowserAutomation.node'], []],
	['resources/operation.ts', [], ['../execution/handlers']],
	['triggers', ['../resources/catalogue'], ['../transport/client']],
	['methods', ['../triggers/poll', '../resources/catalogue'], ['../execution/failures']],
];

for (const [folder, refused, allowed] of IMPORTS) {
	for (const target of [...refused, ...allowed]) {
		const said = lint(folder, `import '${target}';`);
		const isRefused = refused.includes(target);
		it(`an import in ${folder} of ${target} is ${isRefused ? 'refused' : 'not'}`, () => {
			if (isRefused) expect(said()).toContainEqual(BOUNDARY);
			else expect(said()).toEqual([]);
		});
	}
}

/** Says that snippets are refused, each by a rule whose name and first words are given. */
function isRefused(what: string, rule: string, ...said: Array<() => string[]>): void {
	it(`${what} is refused`, () => {
		for (const words of said) {
			expect(words()).toContainEqual(expect.stringMatching(new RegExp(`^${rule}: `)));
		}
	});
}

for (const [what, code] of Object.entries({
	'what n8n gives packages': "import { sleep } from 'n8n-workflow';\nvoid sleep(1);",
	'what n8n keeps to itself':
		"import type { INode } from 'n8n-workflow/dist/cjs/interfaces';\nexport type Violation = INode;",
	'a type of n8n’s core':
		"import type { Cipher } from 'n8n-core';\nexport type Violation = Cipher;",
	'what is handed on from n8n': "export { sleep } from 'n8n-workflow';",
	'a package by its path': "export * from '../../../node_modules/n8n-core/dist/index';",
})) {
	isRefused(`in service/, ${what}`, 'no-restricted-imports', lint('service', code));
}

const OF_N8N = '@n8n/community-nodes/no-restricted-globals';

for (const [what, code, rule] of [
	['a package that only tests need', "import 'playwright-core';", 'no-restricted-imports'],
	['a file inside of n8n-workflow', "import 'n8n-workflow/dist/cjs';", 'no-restricted-imports'],
	['an import while it runs', "void import('luxon');", 'no-restricted-syntax'],
	[
		'a type that is imported where it is used',
		"export type Violation = import('n8n-workflow').INode;",
		'@typescript-eslint/consistent-type-imports',
	],
	['fetch', "void fetch('https://example.com');", 'no-restricted-globals'],
	['a web socket', "void new WebSocket('wss://example.com');", 'no-restricted-globals'],
	[
		'fetch in spite of a comment',
		"/* eslint-disable */\nvoid fetch('https://example.com');",
		'no-restricted-globals',
	],
	['fetch by way of all globals', "void globalThis['fetch']('https://example.com');", OF_N8N],
	['a module of Node.js', "import 'node:http';", 'no-restricted-imports'],
	['one by way of the process', "void process.getBuiltinModule('http');", OF_N8N],
	['one by way of the module', "void module.require('http');", 'no-restricted-globals'],
	['a timer that keeps n8n from ending', 'setTimeout(() => undefined, 1);', OF_N8N],
] as const) {
	const said = ['service', 'transport', 'execution/waiting'].map((module) => lint(module, code));
	isRefused(`in any module, ${what}`, rule, ...said);
}

/** A function that is given an execution and does `body` with it. */
function withContext(body: string, given = 'context'): string {
	return `
import type { IExecuteFunctions } from 'n8n-workflow';
export async function violation(${given}: IExecuteFunctions): Promise<unknown> {
	${body}
}`;
}

const URL_TO = "{ url: 'https://example.com' }";
const CALL = withContext(`return await helpers.httpRequest(${URL_TO});`, '{ helpers }');

for (const [how, code] of Object.entries({
	'from n8n’s helpers': CALL,
	'with the function taken out of them': withContext(
		`const { httpRequest } = helpers;\n\treturn await httpRequest(${URL_TO});`,
		'{ helpers }',
	),
	'with the older function taken out of them': withContext(
		`const { request } = context.helpers;\n\treturn await request(${URL_TO});`,
	),
	'with helpers under another name': withContext(
		`const tools = context.helpers;\n\treturn await tools.request(${URL_TO});`,
	),
	'with helpers taken out under another name': withContext(
		`return await tools.request(${URL_TO});`,
		'{ helpers: tools }',
	),
	'with what was taken out of helpers that were taken out': withContext(
		`return await request(${URL_TO});`,
		'{ helpers: { request } }',
	),
	'with helpers handed on': withContext('return await Object.values(helpers)[0]();', '{ helpers }'),
	'with helpers in another object': withContext('return [{ helpers }];', '{ helpers }'),
	'by its name as a text': withContext(
		`return await helpers['request'](${URL_TO});`,
		'{ helpers }',
	),
	'by a name that is put together': withContext(
		`return await context.helpers[\`\${'http'}Request\`](${URL_TO});`,
	),
	'with helpers by their name as a text': withContext("return Reflect.get(context, 'helpers');"),
	'with helpers by their name in backticks': withContext('return context[`helpers`];'),
})) {
	const said = [
		...['execution/files', 'triggers', 'methods', 'resources', 'fields'],
		'../../credentials',
	].map((module) => lint(module, code));
	isRefused(
		`outside of transport/, a request ${how}`,
		'no-restricted-syntax: Only transport.*',
		...said,
	);
}

const inTransport = lint('transport', CALL);
const inStore = lint(
	'execution/files',
	withContext("return await helpers.prepareBinaryData(Buffer.from(''));", '{ helpers }'),
);

it('a request that transport/ sends is not, nor n8n’s other helpers', () => {
	expect(inTransport()).toEqual([]);
	expect(inStore()).toEqual([]);
});

for (const [name, code] of Object.entries({
	'a loop': 'for (const page of [1, 2]) void page;',
	'a request': 'export const violation = (given: Given): unknown => given.send();',
	'a request by its name as a text':
		"export const violation = (given: Given): unknown => given['send']();",
	'a request with the function taken out':
		'export const violation = ({ send }: Given): unknown => send();',
	'a request by its name put together':
		"export const violation = (given: Given): unknown => given['se' + 'nd']();",
	'a request by a function of another module':
		"export const violation = (call: Given): unknown => readRun(call.client, V3_RUNS, '1');",
	'a request by one under another name':
		"import { readRun as look } from '../service/runs/oneRun';",
	'requests that nobody waits for':
		'export const violation = (ids: string[]): void => ids.forEach((id) => void item(id));',
	'requests by a list’s function':
		'export const violation = (ids: string[]): unknown => Promise.all(ids.map((id) => read(id)));',
	'requests by calling itself':
		'export const violation = async (page: number): Promise<unknown> => await violation(page + 1);',
	'requests one after the other':
		'export const violation = (): unknown => read(1).then(() => read(2));',
})) {
	isRefused(
		`in an operation, ${name}`,
		'no-restricted-syntax: Operations hold no loops.*',
		lint('resources', code),
	);
}

for (const [name, body] of Object.entries({
	'as it is': 'return context.getResponseObject();',
	'by a cast':
		'return (context as unknown as { getResponseObject(): object }).getResponseObject();',
	'by its name as a text': "return context['getRequestObject']();",
})) {
	const code = withContext(body).replaceAll('IExecute', 'IWebhook');
	const said = ['execution/waiting', 'triggers', 'transport'].map((module) => lint(module, code));
	isRefused(
		`outside of execution/webhook, what Express gives, ${name}`,
		'no-restricted-syntax: Express.*',
		...said,
	);
}

isRefused(
	'outside of execution/host, what is noted with an execution',
	'no-restricted-syntax: What is noted.*',
	...["context.getContext('flow')", "Reflect.get(context, 'getContext')"].flatMap((notes) =>
		['execution', 'triggers', 'transport'].map((module) =>
			lint(module, withContext(`return ${notes};`)),
		),
	),
);

isRefused(
	'a cast',
	'@typescript-eslint/consistent-type-assertions',
	lint('execution', "export const violation = JSON.parse('1') as number;"),
	lint('../../credentials', "export const violation = JSON.parse('1') as number;"),
);

for (const [what, rule, code] of [
	['a promise that nobody waits for', 'no-floating-promises', 'Promise.resolve(1);'],
	[
		'a promise in the place of a condition',
		'no-misused-promises',
		'if (Promise.resolve(false)) throw new Error();',
	],
	[
		'a value of which nothing is known',
		'no-unsafe-assignment',
		"export const { length } = JSON.parse('[]');",
	],
	[
		'an Express response that is not typed',
		'no-unsafe-call',
		withContext('context.getResponseObject().end();').replaceAll('IExecute', 'IWebhook'),
	],
] as const) {
	isRefused(what, `@typescript-eslint/${rule}`, lint('execution/webhook.ts', code));
}

/** The names of all classes of errors in a source. */
function classesOfErrors(code: string) {
	const found = code.matchAll(/class(?: (\w+))? extends [\w.]*(?:Error|Failure)\b/g);
	return [...found].map(([, name = 'one without a name']) => name);
}

it('a class of errors is found wherever somebody writes one', () => {
	const code =
		'export class Violation extends HelpfulError {}\nclass Other extends errors.DownloadFailure {}\nthrow new (class extends Error {})();';
	expect(classesOfErrors(code)).toEqual(['Violation', 'Other', 'one without a name']);
});

it('every class of errors stands in the table of errors, and no other does', () => {
	const sources = filesIn('nodes', '.ts').map(read);
	const [, table = ''] = read('docs/develop/architecture.md').split('\n## Errors\n');
	const rows = [...(table.split('\n## ')[0] ?? '').matchAll(/^\| `(\w+)`/gm)].map(
		([, name]) => name,
	);
	expect(sources.flatMap(classesOfErrors).sort()).toEqual(rows.sort());
});
