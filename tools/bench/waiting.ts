import { setTimeout as sleep } from 'node:timers/promises';

import { compare, medianOf, printTable, shown, type Candidates } from './figures';
import { play, type Play, type Played } from './play';
import { cpuOf, memoryOf, openService, type Stage } from './stage';
import {
	loopOverList,
	loopOverRuns,
	onlyStarts,
	ourWay,
	ownWait,
	type Candidate,
} from './workflows';

const SECOND = 1_000;

/** What is asked of a play: times in seconds. */
const time = (played: Played): number => played.time / SECOND;
const started = (played: Played): number => played.started / SECOND;
const cpu = (played: Played): number => played.cpu / SECOND;
const late = (played: Played): number => medianOf(played.late) / SECOND;
const latest = (played: Played): number => Math.max(...played.late) / SECOND;
const requests = (played: Played): number => played.requests;

/** Runs of 4 to 8 s, at random. */
const VARYING = { running: 4 * SECOND, spread: 4 * SECOND };

function plays(stage: Stage, plan: Play, ways: Record<string, Candidate>): Candidates<Played> {
	return Object.fromEntries(
		Object.entries(ways).map(([name, way]) => [name, async () => await play(stage, way, plan)]),
	);
}

/** Batches in one execution, beside two loops made by hand. */
export async function batches(stage: Stage, isQuick: boolean): Promise<void> {
	const ways = {
		ours: ourWay('automatic'),
		'HTTP Request, Wait 2 s, the list': loopOverList,
		'HTTP Request, Wait 2 s, each run': loopOverRuns,
	};
	const figures = {
		...{ 's*': time, 's after the last end*': late, 's until the last start*': started },
		...{ requests, 'CPU s*': cpu },
	};
	for (const items of isQuick ? [10] : [10, 100, 500, 1_000]) {
		const rounds = isQuick ? 1 : items > 100 ? 3 : 5;
		const plan = { items, durations: VARYING };
		await compare(`A batch of ${items}`, rounds, plays(stage, plan, ways), figures);
	}
}

/** How quickly one execution starts its runs. */
export async function starts(stage: Stage, isQuick: boolean): Promise<void> {
	const [items, rounds] = isQuick ? [20, 1] : [500, 3];
	for (const waiting of ['automatic', 'none'] as const) {
		const ways = { [waiting]: ourWay(waiting), 'HTTP Request': onlyStarts };
		const plan = { items, durations: VARYING };
		const figures = { 's until the last*': started, 'CPU s*': cpu };
		await compare(`${items} starts`, rounds, plays(stage, plan, ways), figures);
	}
}

/** How late workflows go on after the end of a run. */
export async function lateness(stage: Stage, isQuick: boolean): Promise<void> {
	const [executions, rounds] = isQuick ? [4, 1] : [20, 3];
	const plan = { executions, durations: { running: 6 * SECOND, spread: 10 * SECOND } };
	const ways = {
		...{ ours: ourWay('automatic'), 'Wait, HTTP Request': ownWait },
		'ours, Stay Awake': ourWay('poll'),
	};
	const lost = { 'ours, callbacks lost': ourWay('automatic') };
	await compare(
		`${executions} runs of 6 to 16 s`,
		rounds,
		{
			...plays(stage, plan, ways),
			...plays(stage, { ...plan, areCallbacksLost: true }, lost),
		},
		{
			...{ 's after the end*': late, 's at most': latest },
			'requests a run': (played) => played.requests / executions,
		},
	);
}

/** Executions of one run each on a plan with few slots: beside the ideal, in which none is ever idle. */
export async function slots(stage: Stage, isQuick: boolean): Promise<void> {
	const measure = async (
		[executions, count, seconds]: readonly [number, number, number],
		setting = '',
		on: Stage = stage,
	): Promise<string[]> => {
		const played = await play(on, ourWay('automatic'), {
			...{ executions, slots: count, durations: { running: seconds * SECOND } },
			areCallbacksLost: setting === 'callbacks lost',
			areOthersBusy: setting.includes('other'),
		});
		const ideal = Math.ceil(executions / count) * seconds;
		const figures = [
			...[time(played), time(played) / ideal, played.starts / executions, played.astray],
			(played.requests * 60) / time(played),
		];
		const name = `${executions} runs of ${seconds} s, ${count} slots`;
		return [[name, setting].filter(Boolean).join(', '), ...figures.map((one) => shown([one]))];
	};
	const [first, ...others] = isQuick
		? ([[6, 3, 4]] as const)
		: ([
				[30, 3, 8],
				[60, 5, 4],
			] as const);
	const rows = [await measure(first), await measure(first, 'callbacks lost')];
	for (const plan of others) rows.push(await measure(plan));
	const accounts = [await openService(stage.client), await openService(stage.client)];
	const busy = accounts.map(async (account) => {
		await measure(first, 'another account', { ...stage, ...account });
		await account.sandbox.close();
	});
	rows.push(await measure(first, 'two other accounts busy'));
	await Promise.all(busy);
	const head = ['Executions', 's', 'of the ideal', 'starts a run', 'places astray'];
	printTable([...head, 'requests a minute'], rows);
}

/** Executions that sleep on one run each are resumed, all at once. */
export async function resumed(stage: Stage, isQuick: boolean): Promise<void> {
	const [executions, rounds] = isQuick ? [5, 1] : [20, 4];
	const ways = { ours: ourWay('automatic'), 'Wait, HTTP Request': ownWait };
	await compare(`${executions} resumed at once`, rounds, plays(stage, { executions }, ways), {
		'a second': (played) => executions / time(played),
		...{ 's until the last*': time, 'CPU s*': cpu },
	});
}

/** What it costs that runs go on: a thousand executions asleep on one run each, and one asleep on a thousand. */
export async function asleep(stage: Stage, isQuick: boolean): Promise<void> {
	const [count, minutes] = isQuick ? [20, 1] : [1_000, 3];
	const head = ['Asleep', 'MB before', 'MB at most', 'CPU s a minute', 'requests a minute'];
	const rows: string[][] = [];
	for (const [executions, items] of [
		[1, 1],
		[1, count],
		[count, 1],
	] as const) {
		const before = memoryOf(stage);
		const [memory, spent, asked] = [[before], new Array<number>(), new Array<number>()];
		const hold = async (): Promise<void> => {
			for (let minute = 0; minute < minutes; minute++) {
				const [cpuBefore, { total }] = [cpuOf(stage), await stage.sandbox.load()];
				await sleep(60 * SECOND);
				memory.push(memoryOf(stage));
				spent.push((cpuOf(stage) - cpuBefore) / SECOND);
				asked.push((await stage.sandbox.load()).total - total);
			}
		};
		await play(stage, ourWay('automatic'), { executions, items, asleep: hold });
		rows.push([
			`${executions} executions of ${items} items`,
			...[shown([before]), shown([Math.max(...memory)]), shown(spent), shown(asked)],
		]);
	}
	printTable(head, rows);
}
