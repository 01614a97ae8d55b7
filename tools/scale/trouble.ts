import { readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import type { QueueMode } from '../../dev/n8n/queueMode';
import type { N8nServer } from '../../dev/n8n/server';
import type { Sandbox } from '../../dev/sandbox/server';

/** Processes that are down on purpose. */
const killed = new WeakSet<N8nServer>();

const POLL_EVERY_MS = 1_000;

/** Starts processes of n8n again that ended by themselves, as a container's restart policy does, and tells it. */
export function supervise(queue: QueueMode): { stop(): void } {
	const servers = [queue.main, ...queue.webhookProcesses, ...queue.workers];
	const timer = setInterval(() => {
		for (const server of servers) {
			if (server.pid !== undefined || killed.has(server)) continue;
			console.log(`        ${server.role} ended by itself and is started again`);
			void startAgain(server);
		}
	}, POLL_EVERY_MS);
	return { stop: () => clearInterval(timer) };
}

async function startAgain(server: N8nServer): Promise<void> {
	killed.add(server);
	try {
		await server.start();
	} finally {
		killed.delete(server);
	}
}

/**
 * Kills a worker and a process for webhooks, starts them again, and restarts PostgreSQL and Redis.
 *
 * @param isForgetful whether they start without the events that they noted, as a new container does; of what
 *   they noted, n8n marks all that is not over as crashed
 */
export async function makeTrouble(
	{ queue, sandbox }: { queue: QueueMode; sandbox: Sandbox },
	report: (what: string) => void,
	isForgetful: boolean,
): Promise<void> {
	await untilHalfIsTried(sandbox);
	const [worker] = queue.workers;
	const [webhookProcess] = queue.webhookProcesses;
	if (worker === undefined || webhookProcess === undefined)
		throw new Error('There is none to kill');
	const victims = [worker, webhookProcess];
	report('a worker and a webhook process are killed');
	for (const victim of victims) killed.add(victim);
	await Promise.all(victims.map(async (victim) => await victim.kill()));
	if (isForgetful) victims.forEach(forgetEvents);
	await Promise.all(victims.map(startAgain));
	report('both are back; PostgreSQL is restarted');
	await queue.postgres.restart();
	report('PostgreSQL is back; Redis is restarted');
	await queue.redis.restart();
	report('Redis is back');
}

function forgetEvents({ userFolder }: N8nServer): void {
	const folder = path.join(userFolder, '.n8n');
	const logs = readdirSync(folder).filter((name) => /^n8nEventLog-(worker|webhook)/.test(name));
	for (const log of logs) rmSync(path.join(folder, log));
}

/** Waits until half of the callbacks that are on their way have been tried. */
async function untilHalfIsTried(sandbox: Sandbox): Promise<void> {
	const runs = (await sandbox.runs()).length;
	for (;;) {
		const tried = (await sandbox.callbacks()).filter(({ attempts }) => attempts.length > 0);
		if (tried.length >= runs / 2) return;
		await sleep(POLL_EVERY_MS / 4);
	}
}
