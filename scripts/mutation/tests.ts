import { readdirSync } from 'node:fs';
import { join } from 'node:path';

const TEST = /\.test\.ts$/;

/** All tests of a folder below test/, without those of its subfolders. */
function testsIn(folder: string): string[] {
	return readdirSync(join('test', folder))
		.filter((name) => TEST.test(name))
		.map((name) => `${folder}/${name.replace(TEST, '')}`);
}

/** Left out: each takes a second or more, which every mutant that it reaches would take. */
const SLOW = [
	'service/largeJson',
	'service/schema/hostile',
	'service/schema/oracle',
	'execution/waiting/stored',
	'triggers/receiveModel',
];

/** Tests that take long for what they are, as only a few files need them. */
const OF_FEW = ['condense', 'forwardPath', 'json', 'jsonStream'].map((name) => `service/${name}`);

/** Files whose own tests show all that they do. */
const WITH_OWN = ['fileName', 'runList', 'trailing'].map((name) => `service/${name}`);

/** Folders where tests of some files load no n8n: those files are tried with these tests alone, which are quick. */
const PURE: Record<string, string[]> = {
	transport: [
		'cancellation',
		'connectionErrors',
		'downloadFailure',
		'nodeKey',
		'secrets',
		'semaphore',
	],
	triggers: ['readLimiter', 'turns'],
	execution: ['concurrency', 'inputSchemas'],
	'execution/waiting': [
		'activity',
		'failures',
		'ledger',
		'line',
		'plan',
		'progress',
		'schedule',
		'secret',
		'sleeps',
		'start',
	],
	'execution/waiting/statusPage': ['buttons', 'openEntries', 'page', 'shownRuns', 'view'],
};

/** Tests that load n8n-core, and show soon what a file of waiting does. */
const QUICK_OF_WAITING = ['hold', 'platform', 'progress', 'waves'];

/** Tests of whole executions, which take seconds, for what is done for one that runs. */
const OF_RUNNING = [
	'open',
	'starts',
	'slots',
	'polling',
	'hint',
	'lagging',
	'limit',
	'clock',
	'sleeping',
];

/** The same for one that sleeps, and for whoever calls it. */
const OF_WAKING = ['callbacks', 'statusPage', 'clock'];

const OF_WAITING: Record<string, string[]> = {
	...withTests(['hold', 'platform', 'waves'], QUICK_OF_WAITING),
	open: [...OF_RUNNING, 'retry', '../input'],
	outcomes: [...OF_RUNNING, 'outcomes'],
	suspend: ['suspend', ...OF_RUNNING],
	executeRuns: [...OF_RUNNING, 'callbacks'],
	claim: ['claim'],
	wake: OF_WAKING,
	wakeCall: ['wakeCall'],
	watcher: ['watcher', 'sleeping', 'slots'],
	statusPage: ['statusPage', 'statusPage/index'],
};

function withTests(files: string[], tests: string[]): Record<string, string[]> {
	return Object.fromEntries(files.map((file) => [file, tests]));
}

function pureTests(): Record<string, string[]> {
	const entries = Object.entries(PURE).flatMap(([folder, names]) => {
		const tests = names.map((name) => `${folder}/${name}`);
		return tests.map((file): [string, string[]] => [file, tests]);
	});
	return Object.fromEntries(entries);
}

/** Which tests show what the files of a folder do; for each file, those of the nearest place that is named here. */
const TESTS: Record<string, string[]> = {
	service: testsIn('service').filter((test) => !OF_FEW.includes(test)),
	'service/eventDeduplicator': ['triggers/eventDeduplicator'],
	'service/runPoller': ['runPoller', 'poll'].map((name) => `triggers/${name}`),
	'service/schema': [...testsIn('service/schema'), 'service/inputSchema', 'service/expectation'],
	...Object.fromEntries([...OF_FEW, ...WITH_OWN].map((test) => [test, [test]])),
	'service/jsonScanner': ['service/json', 'service/jsonStream'],
	'service/inputSchema': ['service/inputSchema', 'service/schema/example'],
	...pureTests(),
	...Object.fromEntries(
		Object.entries(OF_WAITING).map(([file, tests]): [string, string[]] => [
			`execution/waiting/${file}`,
			tests.map((test) => join('execution', 'waiting', test)),
		]),
	),
	transport: [
		'execution/failures',
		'execution/router',
		'execution/waiting/polling',
		'methods/credentialTest',
		'resources/cliService',
		'resources/publicCli',
		'triggers/ownRun',
	],
	'transport/credentialCache': ['triggers/receive', 'execution/waiting/callbacks'],
	'transport/fileRequest': [
		'transport/fileRequest',
		'execution/files/downloadGuard',
		'execution/files/downloadFiles',
	],
	'transport/ownAddress': ['transport/ownAddress'],
	triggers: testsIn('triggers'),
	execution: [
		...['failures', 'handlers', 'router', 'runResult', 'toolUse'].map(
			(test) => `execution/${test}`,
		),
		...['browsersAndProxies', 'cliService', 'publicCli', 'tasks'].map(
			(test) => `resources/${test}`,
		),
	],
	'execution/runResult': ['execution/runResult'],
	'execution/toolUse': ['execution/toolUse'],
	'execution/webhook': ['triggers/receive', 'execution/waiting/callbacks'],
	'execution/files': testsIn('execution/files'),
	'execution/files/largeOutput': ['execution/runResult'],
	'execution/waiting': testsIn('execution/waiting'),
};

/**
 * The test files that a mutated file is tried with.
 * @param path below nodes/BrowserAutomation, without an extension: `service/pages`
 */
export function testsOf(path: string): string[] {
	const parts = path.split('/');
	const places = parts.map((_, index) => parts.slice(0, parts.length - index).join('/'));
	const tests = TESTS[places.find((place) => place in TESTS) ?? ''] ?? [];
	return tests.filter((test) => !SLOW.includes(test)).map((test) => `test/${test}.test.ts`);
}
