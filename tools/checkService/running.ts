import { setTimeout as sleep } from 'node:timers/promises';

import { isObject, parseIfJson, textAt, type JsonObject } from '../../dev/sandbox/json';
import { checkFiles } from './files';
import { Receiver, type Callback } from './receiver';
import { checkRunDetail, isEnd } from './runs';
import type { Service } from './service';

export interface RunOptions {
	bot: string;
	input: JsonObject;
	/** Gives where the service can reach a port of this machine; no callbacks when left out. */
	callback?: ((port: number) => string) | undefined;
	/** The port that takes callbacks; 0 for any free one. */
	port: number;
	/** How often the run is polled, in milliseconds. */
	every: number;
	/** How long one waits after the run's end for what is still to come, in milliseconds. */
	patience: number;
	/** Gets the run's ID at once, so that a person can stop it. */
	say: (what: string) => void;
}

/** A run may take up to seven hours; so long it is followed. In milliseconds. */
const MAX_RUN_MS = 7 * 3_600_000;

/** Starts one run, follows it to its end, and reports what was seen on the way. */
export async function runOnce(service: Service, options: RunOptions): Promise<void> {
	const receiver = options.callback === undefined ? undefined : await Receiver.listen(options.port);
	try {
		const started = Date.now();
		const created = await service.start('bot.run', 'runCreated', {
			path: { bot_id: options.bot },
			body: { input: options.input, ...(receiver && addresses(options.callback?.(receiver.port))) },
		});
		const taskId = isObject(created) ? textAt(created, 'task_id') : undefined;
		if (taskId === undefined) return;
		options.say(`Started run ${taskId}. It goes on if this command is stopped.`);
		const run = await follow(service, taskId, options.every, started);
		if (run === undefined) return;
		checkRunDetail(service, run);
		await checkFiles(service, run);
		if (receiver !== undefined) {
			await waitFor(() => receiver.isTaken, options.patience);
			reportCallbacks(service, receiver, run);
		}
	} finally {
		receiver?.close();
	}
}

function addresses(callback = ''): JsonObject {
	const base = callback.replace(/\/+$/, '');
	return { callback_url: `${base}/completed`, status_change_callback_url: `${base}/status` };
}

/** @returns the run when it has ended */
async function follow(
	service: Service,
	taskId: string,
	every: number,
	started: number,
): Promise<JsonObject | undefined> {
	const path = { task_id: taskId };
	const { report } = service;
	let before = '';
	let endedAt: number | undefined;
	while (Date.now() < started + MAX_RUN_MS) {
		const status = await service.read('run.getStatus', 'status', { path });
		const run = await service.read('run.get', 'run', { path });
		const now = isObject(status) ? (textAt(status, 'status') ?? '') : '';
		if (now !== before) report.see('The run', `${now} after ${seconds(Date.now() - started)}`);
		before = now;
		if (isEnd(now)) {
			endedAt ??= Date.now();
			if (isObject(run) && isEnd(run['status'])) {
				const late = Date.now() - endedAt;
				report.see(
					'The detail',
					late === 0 || late < every
						? 'ended with the status'
						: `ended ${seconds(late)} after the status`,
				);
				await reportList(service, taskId, now);
				return run;
			}
		} else if (isObject(run) && !isEnd(run['status'])) checkRunDetail(service, run);
		await sleep(every);
	}
	report.skip('The end of the run: it did not come');
	return undefined;
}

async function reportList(service: Service, taskId: string, status: string): Promise<void> {
	const list = await service.read('run.getAll', 'runInList', { query: { limit: 100 } });
	const items: unknown[] = isObject(list) && Array.isArray(list['items']) ? list['items'] : [];
	const listed = items.filter(isObject).find((entry) => entry['task_id'] === taskId);
	const shown = listed === undefined ? 'lacks the run' : `says ${String(listed['status'])}`;
	service.report.see('The list of runs', `${shown} when the run is ${status}`);
}

function reportCallbacks(service: Service, receiver: Receiver, run: JsonObject): void {
	const { report } = service;
	const completed = receiver.at('completed');
	const changes = receiver.at('status');
	const differ = (what: string): void => report.differ('A callback', what, 'callback');
	if (completed.length === 0) differ('did not come when the run ended');
	if (changes.length === 0) differ('did not come when the status changed');
	for (const callback of [...changes, ...completed]) judge(service, callback);
	report.see('Callbacks', `${changes.length} of changes, ${completed.length} of the end`);
	const [first, second] = completed;
	if (first !== undefined && second === undefined) {
		report.differ('A callback', 'is not repeated after 500', 'callbackAnswer');
	}
	const pauses = completed
		.slice(1)
		.map(({ at }, index) => seconds(at - (completed[index]?.at ?? at)));
	if (pauses.length > 0) report.see('Repeated after 500', `after ${pauses.join(', ')}`);
	if (receiver.at('redirected').length > 0) {
		report.differ('A callback', 'follows a redirect', 'callbackAnswer');
	}
	const [turned] = changes;
	if (turned !== undefined) {
		const again = changes.filter(({ body }) => body === turned.body).length - 1;
		report.see('After a redirect', `${again} repetitions`);
	}
	const last = completed.at(-1);
	const end = last === undefined ? undefined : parseIfJson(last.body);
	if (isObject(end) && end['task_id'] !== run['task_id']) differ('names another run');
}

function judge({ shapes, report }: Service, callback: Callback): void {
	for (const { place, what } of shapes.judgeCallback(parseIfJson(callback.body))) {
		report.differ(
			'A callback',
			`${place === '' ? 'the body' : `\`${place}\``} ${what}`,
			'callback',
		);
	}
	for (const name of Object.keys(callback.headers)) report.see('Headers of callbacks', name);
	for (const name of ['content-type', 'user-agent']) {
		report.see(`Callbacks’ ${name}`, String(callback.headers[name]));
	}
}

function seconds(ms: number): string {
	return `${(ms / 1_000).toFixed(1)} s`;
}

async function waitFor(isSo: () => boolean, patience: number): Promise<void> {
	const until = Date.now() + patience;
	while (!isSo() && Date.now() < until) await sleep(Math.min(200, patience));
}
