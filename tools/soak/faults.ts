import { setTimeout as sleep } from 'node:timers/promises';

import { fetchAlone } from '../../dev/fetchAlone';
import type { N8nServer } from '../../dev/n8n/server';
import type { Disturbance, Restart, StopSignal } from './plan';
import { ACCOUNTS, keyOf, type Setup } from './service';

/** One stop of n8n, as it went. Epoch milliseconds. */
export interface Stop {
	signal: StopSignal;
	/** When it was told to stop, when it had stopped, and when it was there again. */
	at: number;
	downAt: number;
	backAt: number;
}

/** While the service took no connections, so that it knows of no request. Epoch milliseconds. */
export interface Outage {
	from: number;
	to: number;
}

/** Waits until a moment (epoch milliseconds), or less if the soak is given up. */
async function until(moment: number, signal: AbortSignal): Promise<void> {
	await sleep(Math.max(0, moment - Date.now()), undefined, { signal });
}

/**
 * Plays the faults of the service one after another; at the end there is none any more.
 *
 * @returns when it was down
 */
export async function playDisturbances(
	setup: Setup,
	planned: Disturbance[],
	begun: number,
	signal: AbortSignal,
	report: (what: string) => void,
): Promise<Outage[]> {
	const { sandbox } = setup;
	const outages: Outage[] = [];
	for (const faults of planned) {
		const { at, length, title, isDown, forgeries, running } = faults;
		await until(begun + at, signal);
		report(`${title}, for ${(length / 1_000).toFixed(1)} s`);
		const from = Date.now();
		await sandbox.setDurations({ running });
		for (const fault of faults.faults) await sandbox.addFault(fault);
		await setCallbacks(setup, faults);
		if (isDown) sandbox.goDown();
		const [answers] = await Promise.all([
			forge(setup, forgeries),
			until(begun + at + length, signal),
		]);
		if (answers.size > 0) report(`forged callbacks were answered with ${[...answers].join(', ')}`);
		if (isDown) await sandbox.comeBack();
		await sandbox.clearFaults();
		await setCallbacks(setup, { callbacks: {} });
		if (isDown) outages.push({ from, to: Date.now() });
	}
	return outages;
}

async function setCallbacks(
	{ sandbox }: Setup,
	{ callbacks }: Pick<Disturbance, 'callbacks'>,
): Promise<void> {
	for (const account of ACCOUNTS) {
		await sandbox.setCallbackFaults({ key: keyOf(account), ...callbacks });
	}
}

const LARGEST_RUN_ID = '9999999999999999999';

/**
 * Calls n8n in the service's name: with a wrong token, with an end that is not true, and about a run
 * that does not exist.
 *
 * @returns the answers' statuses
 */
async function forge({ sandbox }: Setup, count: number): Promise<Set<number>> {
	if (count === 0) return new Set();
	const open = (await sandbox.runs()).filter(({ finishedAt }) => finishedAt === null);
	const answers = new Set<number>();
	for (const [index, { taskId, callbackUrl, statusCallbackUrl }] of open.slice(-count).entries()) {
		const url = new URL(callbackUrl ?? statusCallbackUrl ?? 'http://127.0.0.1:9');
		const isStranger = index % 2 === 0;
		if (isStranger && url.searchParams.has('token')) url.searchParams.set('token', '0'.repeat(32));
		const named = isStranger ? LARGEST_RUN_ID : taskId;
		const answer = await fetchAlone(url, {
			method: 'POST',
			headers: { 'content-type': 'application/json' },
			body: JSON.stringify({ task_id: named, status: 'finished', output: 'forged' }),
			signal: AbortSignal.timeout(30_000),
		}).catch(() => undefined);
		if (answer !== undefined) answers.add(answer.status);
	}
	return answers;
}

/** Stops n8n as planned, and starts it again at once. */
export async function playRestarts(
	server: N8nServer,
	planned: Restart[],
	begun: number,
	signal: AbortSignal,
	onUp: (isUp: boolean) => void,
	report: (what: string) => void,
): Promise<Stop[]> {
	const stops: Stop[] = [];
	for (const restart of planned) {
		await until(begun + restart.at, signal);
		const at = Date.now();
		onUp(false);
		await (restart.signal === 'SIGTERM' ? server.stop() : server.kill());
		const downAt = Date.now();
		await server.start();
		const backAt = Date.now();
		onUp(true);
		stops.push({ signal: restart.signal, at, downAt, backAt });
		const seconds = [downAt - at, backAt - downAt].map((ms) => (ms / 1_000).toFixed(1));
		report(
			`n8n: ${restart.signal}, ended after ${seconds[0]} s, back after another ${seconds[1]} s`,
		);
	}
	return stops;
}
