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
	'service/json/largeJson',
	'service/schema/hostile',
	'service/schema/oracle',
	'execution/waiting/stored',
	'triggers/receiveModel',
];

/** Tests that take long for what they are, as only a few files need them. */
const OF_FEW = [
	'service/http/forwardPath',
	'service/json/condense',
	'service/json/json',
	'service/json/jsonStream',
];

/** Files whose own tests show all that they do. */
const WITH_OWN = [
	'service/concurrency',
	'service/errors',
	'service/events/pollCursor',
	'service/events/runEvents',
	'service/files/fileLink',
	'service/files/fileName',
	'service/files/files',
	'service/runs/runList',
	'service/ttlCache',
];

/** Folders where tests of some files load no n8n: those files are tried with these tests alone, which are quick. */
const PURE: Record<string, string[]> = {
	transport: ['cancellation', 'connectionErrors', 'downloadFailure', 'secrets', 'semaphore'],
	triggers: ['readLimiter'],
	'execution/waiting/batch': ['ledger', 'plan', 'runErrors', 'start'],
	'execution/waiting/suspension': ['slotQueue', 'schedule', 'secret', 'suspensions'],
	'execution/waiting/statusPage': ['page', 'view'],
};

/** Tests of whole executions, which take seconds, for what is done for one that runs. */
const OF_RUNNING = [
	'batch/open',
	'starts',
	'slots',
	'polling',
	'hint',
	'lagging',
	'limit',
	'waitTimer',
	'sleeping',
];

/** The same for one that sleeps, and for whoever calls it. */
const OF_RESUMING = ['callbacks', 'elsewhere', 'statusPage', 'waitTimer', 'otherVersion'];

const OF_WAITING: Record<string, string[]> = {
	platform: [
		'platform',
		'batch/start',
		'batch/caller',
		'suspension/claim',
		'suspension/staleWrites',
		'suspension/watcher',
	],
	'batch/plan': ['batch/plan', 'batch/start', 'batch/caller', 'suspension/suspend'],
	'batch/budget': ['batch/budget', 'batch/caller', 'hosts'],
	'batch/newLedger': [...OF_RUNNING, 'retry', '../input'],
	'batch/open': [
		...OF_RUNNING,
		'batch/caller',
		'retry',
		'strangeStatus',
		'otherVersion',
		'../input',
	],
	'batch/outcomes': [...OF_RUNNING, 'batch/outcomes', 'batch/budget', 'hosts', 'repeats'],
	'batch/repeats': ['batch/repeats', 'repeats'],
	'suspension/suspend': ['suspension/suspend'],
	nextStep: ['nextStep'],
	'batch/ledger': ['batch/ledger', 'nextStep', 'statusPage/view', 'suspension/suspensions'],
	'batch/records': ['batch/records', 'batch/start', 'nextStep'],
	'batch/waves': ['batch/start', 'nextStep'],
	'batch/takeUp': ['retry', 'nextStep'],
	executeRuns: [
		...OF_RUNNING,
		'batch/caller',
		'callbacks',
		'cancelAfter',
		'elsewhere',
		'hosts',
		'retry',
		'slotsUsed',
		'statusPage',
		'repeats',
		'../../triggers/openRuns',
	],
	'suspension/claim': ['suspension/claim', 'suspension/staleWrites'],
	'suspension/resume': OF_RESUMING,
	'suspension/suspensions': ['suspensions', 'runTimes', 'watcher'].map(
		(test) => `suspension/${test}`,
	),
	'suspension/resumeCall': ['suspension/resumeCall'],
	'suspension/watcher': ['suspension/watcher', 'sleeping', 'slots'],
	'suspension/watchers': ['suspension/watcher', 'sleeping', 'slots'],
	'suspension/suspensionCheck': ['suspension/watcher', 'sleeping'],
	'suspension/readRuns': ['suspension/watcher', 'elsewhere'],
	'suspension/runTimes': ['suspension/runTimes', 'suspension/suspensions'],
	statusPage: ['statusPage', 'statusPage/index'],
};

function pureTests(): Record<string, string[]> {
	const entries = Object.entries(PURE).flatMap(([folder, names]) => {
		const tests = names.map((name) => `${folder}/${name}`);
		return tests.map((file): [string, string[]] => [file, tests]);
	});
	return Object.fromEntries(entries);
}

/** What users fill in and how it is read, shown by the operations that ask for it. */
const OF_FIELDS: Record<string, string[]> = {
	fields: [
		'fields/fieldBuilders',
		'contract/interface',
		'contract/limits',
		...['handlers', 'input', 'router', 'rows'].map((test) => `execution/${test}`),
		...['browsersAndProxies', 'cliService', 'dates', 'publicCli', 'tasks'].map(
			(test) => `resources/${test}`,
		),
	],
	'fields/field': [
		'contract/limits',
		...['handlers', 'input', 'router', 'rows'].map((test) => `execution/${test}`),
		'triggers/registration',
	],
	'fields/files': ['contract/limits', 'execution/files/downloadFiles', 'triggers/eventOutput'],
	'fields/output': [
		'contract/limits',
		...['handlers', 'newRows', 'rows', 'runResult'].map((test) => `execution/${test}`),
		'triggers/eventOutput',
	],
	'fields/requests': [
		'contract/limits',
		'execution/handlers',
		'resources/publicCli',
		'transport/answers',
	],
	'fields/triggers': ['eventOutput', 'ownRun', 'poll', 'registration'].map(
		(test) => `triggers/${test}`,
	),
	'fields/notify': ['fields/notify', 'triggers/notify', 'triggers/registration'],
	'fields/waiting': ['execution/waiting/limit', 'execution/waiting/starts', 'triggers/notify'],
};

/** Which tests show what the files of a folder do; for each file, those of the nearest place that is named here. */
const TESTS: Record<string, string[]> = {
	service: ['', '/events', '/files', '/http', '/json', '/runs', '/schema']
		.flatMap((module) => testsIn(`service${module}`))
		.filter((test) => !OF_FEW.includes(test)),
	'service/events/runMemory': ['service/events/runMemory', 'service/events/pollCursor'],
	'service/events/runPoller': ['service/events/runPoller', 'triggers/poll'],
	'service/schema': [...testsIn('service/schema'), 'service/http/expectation'],
	...Object.fromEntries([...OF_FEW, ...WITH_OWN].map((test) => [test, [test]])),
	'service/json/json': ['service/json/json', 'service/json/userJson'],
	'service/json/jsonScanner': ['json', 'jsonStream', 'userJson'].map(
		(test) => `service/json/${test}`,
	),
	'service/schema/inputSchema': ['service/schema/inputSchema', 'service/schema/example'],
	...pureTests(),
	...OF_FIELDS,
	...Object.fromEntries(
		Object.entries(OF_WAITING).map(([file, tests]): [string, string[]] => [
			`execution/waiting/${file}`,
			tests.map((test) => join('execution', 'waiting', test)),
		]),
	),
	transport: [
		'transport/answers',
		'transport/client',
		'execution/failures',
		'execution/router',
		'execution/waiting/polling',
		'methods/credentialTest',
		'resources/cliService',
		'resources/publicCli',
		'triggers/ownRun',
	],
	'transport/answer': ['transport/answer', 'transport/answers'],
	'transport/fileRequest': [
		'transport/answer',
		'execution/files/download',
		'execution/files/downloadGuard',
		'execution/files/downloadFiles',
	],
	'transport/callUntil': ['execution/waiting/suspension/resumeCall'],
	'transport/ownAddress': ['transport/ownAddress'],
	triggers: testsIn('triggers'),
	'triggers/eventItems': ['triggers/eventOutput'],
	'triggers/openRuns': ['triggers/openRuns'],
	'triggers/ownRun': ['triggers/ownRun'],
	'triggers/poll': ['triggers/eventOutput', 'triggers/poll'],
	execution: [
		...['failures', 'handlers', 'router', 'runResult', 'toolUse'].map(
			(test) => `execution/${test}`,
		),
		...['browsersAndProxies', 'cliService', 'publicCli', 'tasks'].map(
			(test) => `resources/${test}`,
		),
	],
	'execution/runResult': ['files/downloadFiles', 'newRows', 'rows', 'runResult'].map(
		(test) => `execution/${test}`,
	),
	'execution/newRows': ['execution/newRows'],
	'execution/hints': ['newRows', 'rows', 'runResult', 'toolUse'].map((test) => `execution/${test}`),
	'execution/toolUse': ['execution/toolUse'],
	'execution/webhook': ['triggers/receive', 'execution/waiting/callbacks'],
	'execution/workflow': ['execution/workflow', 'triggers/poll', 'triggers/registration'],
	'execution/files': testsIn('execution/files'),
	'execution/files/downloadFiles': ['execution/files/downloadFiles', 'execution/runResult'],
	'execution/waiting': ['', '/batch', '/suspension'].flatMap((module) =>
		testsIn(`execution/waiting${module}`),
	),
	methods: [...testsIn('methods'), 'triggers/eventOutput'],
	'methods/credentialTest': ['methods/credentialTest'],
	'methods/lists': ['methods/listSearch'],
	'methods/resourceMapping': ['methods/resourceMapping'],
	resources: [
		'contract/interface',
		...['handlers', 'router'].map((test) => `execution/${test}`),
		...['browsersAndProxies', 'cliService', 'publicCli', 'tasks'].map(
			(test) => `resources/${test}`,
		),
	],
};

/**
 * The test files that a mutated file is tried with.
 * @param path below nodes/BrowserAutomation, without an extension: `service/http/pages`
 */
export function testsOf(path: string): string[] {
	const parts = path.split('/');
	const places = parts.map((_, index) => parts.slice(0, parts.length - index).join('/'));
	const tests = TESTS[places.find((place) => place in TESTS) ?? ''] ?? [];
	return tests.filter((test) => !SLOW.includes(test)).map((test) => `test/${test}.test.ts`);
}
