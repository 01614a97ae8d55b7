import { writeFileSync } from 'node:fs';
import path from 'node:path';

import {
	createClient,
	type ServiceClient,
} from '../../../../nodes/BrowserAutomation/service/http/client';
import { ConnectionError } from '../../../../nodes/BrowserAutomation/service/errors';
import { toInput } from '../../../../nodes/BrowserAutomation/service/schema/inputSchema';
import type { JsonObject } from '../../../../nodes/BrowserAutomation/service/json/json';
import type { EventFilter } from '../../../../nodes/BrowserAutomation/service/events/runEvents';
import { firstCursor, RunPoller } from '../../../../nodes/BrowserAutomation/service/events/runPoller';
import { readForm } from '../../../../nodes/BrowserAutomation/service/schema/form';
import { startSandbox, type Sandbox } from '../../../../dev/sandbox/server';
import { spreadOf } from '../../rounds';
import { plotGrowth, type Growth } from '../../plot';

const ROUNDS = 20;

/** Rounds until V8 has compiled what is measured. */
const WARMING_UP = 10;
const PLOT = path.join(__dirname, '../../../../docs/images/growth.svg');

/** A schema with more properties is no form. */
const LARGEST_FORM = 500;

/** Something that is done with more and more input. */
interface Subject {
	name: string;
	/** What the sizes count. */
	unit: string;
	sizes: number[];
	/** @returns CPU time of this process, in milliseconds */
	measure(size: number): Promise<number>;
}

/**
 * How CPU time grows with the input, as a table and as a plot: what the nodes do by themselves, in this process and without
 * n8n.
 */
export async function growth(isQuick: boolean): Promise<void> {
	const rounds = isQuick ? 1 : ROUNDS;
	const lines: Growth[] = [];
	const table: Record<string, Record<string, string>> = {};
	const sandbox = await startSandbox({ recordLimit: 0 });
	try {
		for (const { name, unit, sizes, measure } of subjects(sandbox)) {
			const points: Growth['points'] = [];
			const costs = new Map(sizes.map((size) => [size, new Array<number>()]));
			for (let round = 0; round < WARMING_UP + rounds; round++) {
				for (const [size, all] of costs) all.push(await measure(size));
			}
			for (const [size, all] of costs) {
				const { median: cost } = spreadOf(all.slice(WARMING_UP));
				points.push({ size, cost });
				const [first = { size, cost }] = points;
				table[`${name}, ${size} ${unit}`] = {
					'CPU (ms)': cost.toFixed(cost < 10 ? 2 : 0),
					input: `${size / first.size}`,
					'CPU, times the first': (cost / first.cost).toFixed(1),
				};
			}
			lines.push({ name, points });
		}
	} finally {
		await sandbox.close();
	}
	console.log('\nGrowth with the input');
	console.table(table);
	if (!isQuick)
		writeFileSync(PLOT, plotGrowth('CPU time, beside that of the smallest input', lines));
}

function subjects(sandbox: Sandbox): Subject[] {
	return [
		formSubject('Form of a schema', (schema) => readForm(schema), LARGEST_FORM),
		formSubject('Input as JSON, checked', (schema, input) => toInput(schema, { json: input })),
		formSubject('Input of a form, checked', (schema, fields) =>
			toInput(schema, { values: fields, kinds: new Map(), required: new Set<string>(), timeZone: 'UTC' }),
		),
		{
			name: 'Poll of open runs',
			unit: 'runs',
			sizes: [10, 100, 1_000, 10_000],
			measure: async (size) => await poll(sandbox, size),
		},
	];
}

function formSubject(
	name: string,
	work: (schema: JsonObject, input: JsonObject) => unknown,
	largest = 1_000,
): Subject {
	return {
		name,
		unit: 'properties',
		sizes: [10, 100, largest],
		measure: async (size) => {
			const names = Array.from({ length: size }, (_, index) => `field${index}`);
			const member = { type: 'string', title: 'A field', minLength: 1, maxLength: 99 };
			const properties = Object.fromEntries(names.map((key) => [key, member]));
			const schema = { type: 'object', properties, required: names };
			const input = Object.fromEntries(names.map((key) => [key, 'some text']));
			return await costOf(async () => work(schema, input));
		},
	};
}

/** CPU time of this process for some work, in milliseconds. */
async function costOf(work: () => Promise<unknown>): Promise<number> {
	const before = process.cpuUsage();
	await work();
	const { user, system } = process.cpuUsage(before);
	return (user + system) / 1_000;
}

/** One poll while all runs are still open; with what the service needs, which runs in this process too. */
async function poll(sandbox: Sandbox, size: number): Promise<number> {
	await sandbox.reset();
	const createdTo = new Date(Date.now() - 3_600_000).toISOString();
	await sandbox.seedRuns({ count: size, statuses: ['running'], createdTo });
	const filter: EventFilter = { events: ['runFinished'] };
	const client = fetching(sandbox);
	const cursor = await firstCursor(client, undefined, undefined, Date.now());
	const poller = new RunPoller({ client, filter, hasTime: () => true }, cursor);
	return await costOf(async () => await poller.poll());
}

function fetching({ url, key }: Sandbox): ServiceClient {
	return createClient({
		baseUrl: url,
		secret: '',
		request: async (request) => {
			const headers = { ...request.headers, authorization: `Bearer ${key}` };
			const answer = await fetch(request.url, { method: request.method, headers }).catch(lost);
			const found = Object.fromEntries(answer.headers);
			return {
				status: answer.status,
				headers: found,
				bytes: Buffer.from(await answer.arrayBuffer()),
			};
		},
		pause: async () => {},
	});
}

/** An idle connection that the service closed: reads are tried again. */
function lost(error: unknown): never {
	throw new ConnectionError(String(error), true);
}
