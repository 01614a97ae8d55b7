import path from 'node:path';

import { isRecord, textOf } from '../../dev/n8n/json';
import { n8nVersions, newestN8n, type N8nVersion } from '../../dev/n8n/versions';
import { tableOf } from '../docs/markdown';

/** What the end-to-end tests of a file show, by the file's name without version and ending. */
export const FEATURES: Readonly<Record<string, string>> = {
	mainJob:
		'Credential, lists, form, Bot > Run asleep and polling, rows, fields before the first run',
	everyOperation: 'Every operation',
	outputs:
		'Rows from JSON in other shapes and from files, outputs that lag behind, runs that failed',
	waiting: 'Waiting: batches, faults of service and network, races, limits, cancelation',
	waitingRestart: 'Waiting: n8n stopped or killed meanwhile',
	waitingQueue: 'Waiting in queue mode, with PostgreSQL and Redis',
	waitingAgent: 'Waiting as the tool of an AI agent',
	agentTool: 'A bot as the tool of an AI agent',
	hosts: 'n8n’s own Agents, AI Assistant and Evaluations',
	upgrade: 'Waiting: the package replaced or removed, or a backup restored meanwhile',
	triggers: 'Both triggers (for 1.123 with the next row)',
	triggersRestart: 'Triggers: events that could get lost, n8n restarted meanwhile',
	triggersQueue: 'Triggers in queue mode',
	triggersScheduler: 'Polling trigger under n8n’s durable scheduler',
	hostileBot: 'A bot whose schema is made to keep n8n busy',
	hostileService: 'A service that lists less than it says, trickles, or answers without end',
	ssrf: 'With n8n’s protection of the inner network switched on',
	examples: 'The examples, as they are imported',
	demo: 'The demo',
};

/** How many tests of a feature passed in a version, and which did not. */
interface Cell {
	passed: number;
	failed: string[];
}

/** What was seen in each version, by feature. */
type Matrix = Map<string, Map<N8nVersion, Cell>>;

const IN_A_VERSION = new RegExp(
	` in n8n (${n8nVersions.map((version) => version.replace('.', '\\.')).join('|')})$`,
);

/**
 * What the end-to-end tests showed, as Markdown: a table of features and versions, what failed, and when it was seen.
 *
 * @param results what jest wrote with `--json`, of one run or of several that ran different files
 * @throws Error for a file of tests whose feature has no name
 */
export function describeResults(results: readonly unknown[]): string {
	const matrix: Matrix = new Map(Object.keys(FEATURES).map((name) => [name, new Map()]));
	for (const file of results.flatMap((result) => listAt(result, 'testResults'))) {
		const row = matrix.get(stemOf(textOf(file, 'name')));
		if (row === undefined) throw new Error(`${textOf(file, 'name')} shows no named feature.`);
		for (const test of listAt(file, 'assertionResults')) count(test, row);
	}
	const rows = [...matrix]
		.filter(([, row]) => row.size > 0)
		.map(([name, row]) => [
			FEATURES[name] ?? name,
			...n8nVersions.map((version) => sign(row.get(version))),
		]);
	const head = ['Tests of', ...n8nVersions.map((version) => `n8n ${version}`)];
	return [
		tableOf(head, rows),
		...failures(matrix),
		`Seen on ${daysOf(results).join(' and ')}.`,
	].join('\n\n');
}

/** `/…/test/n8n/triggers1.123.test.ts` -> `triggers` */
export function stemOf(file: string): string {
	return path.basename(file).replace(/(?:\d+\.\d+)?\.test\.ts$/, '');
}

/** A test whose group names no version runs in the newest. */
function count(test: unknown, row: Map<N8nVersion, Cell>): void {
	const status = textOf(test, 'status');
	if (status !== 'passed' && status !== 'failed') return;
	const groups = listAt(test, 'ancestorTitles').map(String);
	const [, named] = groups.map((group) => IN_A_VERSION.exec(group)).find(Boolean) ?? [];
	const version = n8nVersions.find((known) => known === named) ?? newestN8n();
	const cell = row.get(version) ?? { passed: 0, failed: [] };
	row.set(version, cell);
	if (status === 'passed') cell.passed += 1;
	else {
		const titles = groups.map((group) => group.replace(IN_A_VERSION, ''));
		cell.failed.push([...titles, textOf(test, 'title')].join(': '));
	}
}

function sign(cell: Cell | undefined): string {
	if (cell === undefined) return '–';
	const all = cell.passed + cell.failed.length;
	return cell.failed.length === 0 ? `${all} of ${all}` : `**${cell.passed} of ${all}**`;
}

function failures(matrix: Matrix): string[] {
	const failed = [...matrix.values()].flatMap((row) =>
		[...row].flatMap(([version, cell]) => cell.failed.map((title) => `- n8n ${version}: ${title}`)),
	);
	return failed.length === 0 ? [] : [`These failed:\n\n${failed.join('\n')}`];
}

/** The days on which the runs began, e.g. `21 November 2026`. */
function daysOf(results: readonly unknown[]): string[] {
	const days = results.map((result) =>
		new Date(isRecord(result) ? Number(result.startTime) : NaN).toLocaleDateString('en-GB', {
			dateStyle: 'long',
			timeZone: 'UTC',
		}),
	);
	return [...new Set(days)];
}

function listAt(value: unknown, key: string): unknown[] {
	const found = isRecord(value) ? value[key] : undefined;
	return Array.isArray(found) ? found : [];
}
