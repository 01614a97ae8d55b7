import { existsSync } from 'node:fs';

const schema = ['service/schema/suite', 'service/schema/oracle', 'service/inputSchema'];
const waiting = [
	'execution/waiting/sleeping',
	'execution/waiting/starts',
	'execution/waiting/callbacks',
];

/**
 * Which tests show what a file does, where that is not the test of the same path; for a folder, where a file has none of its
 * own. The random walks of test/execution/waiting/model are in none: each takes seconds, which every mutant would take.
 */
const OTHER_TESTS: Record<string, string[]> = {
	'service/attempt': ['service/client'],
	'service/errorCodes': ['service/envelope'],
	'service/eventDeduplicator': ['triggers/eventDeduplicator'],
	'service/runPoller': ['triggers/runPoller'],
	'service/schema': schema,
	'service/schema/form': ['service/inputSchema'],
	'service/schema/flatten': ['service/inputSchema'],
	'service/schema/lists': ['service/inputSchema'],
	'service/schema/numbers': schema,
	'service/schema/patterns': ['service/schema/patterns'],
	'service/schema/wording': ['service/inputSchema'],
	transport: ['execution/failures', 'execution/router'],
	'transport/fileRequest': [
		'transport/fileRequest',
		'execution/files/downloadFiles',
		'execution/files/downloadGuard',
	],
	'transport/ownAddress': ['triggers/ownRun', 'triggers/registration'],
	'triggers/eventItems': ['triggers/receive', 'triggers/poll'],
	triggers: ['triggers/receive', 'triggers/ownRun', 'triggers/poll', 'triggers/registration'],
	execution: ['execution/router', 'execution/failures', 'execution/input'],
	'execution/files': ['execution/files/downloadFiles', 'execution/files/downloadGuard'],
	'execution/waiting': waiting,
	'execution/waiting/lookAgain': ['execution/waiting/polling'],
	'execution/waiting/legacy': ['execution/waiting/earlierVersion'],
	'execution/waiting/ledger': [...waiting, 'execution/waiting/earlierVersion'],
	'execution/waiting/statusPage': ['execution/waiting/statusPage'],
	'execution/waiting/waves': ['execution/waiting/progress', 'execution/waiting/slots'],
};

const asTest = (path: string): string => `test/${path}.test.ts`;

/**
 * The test files that a mutated file is tried with.
 * @param path below nodes/BrowserAutomation, without an extension: `service/pages`
 */
export function testsOf(path: string): string[] {
	const given = OTHER_TESTS[path];
	if (given !== undefined) return given.map(asTest);
	if (existsSync(asTest(path))) return [asTest(path)];
	const folders = path.split('/').map((_, index, parts) => parts.slice(0, -index - 1).join('/'));
	const nearest = folders.find((folder) => folder in OTHER_TESTS) ?? '';
	return (OTHER_TESTS[nearest] ?? []).map(asTest);
}
