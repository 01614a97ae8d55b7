import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { lock } from 'proper-lockfile';

/**
 * Where installed servers are kept between runs: $N8N_BROWSER_AUTOMATION_CACHE, else `n8n-nodes-browser-automation` in the
 * user's cache folder.
 */
export function cacheFolder(): string {
	const chosen = process.env.N8N_BROWSER_AUTOMATION_CACHE;
	if (chosen !== undefined && chosen !== '') return path.resolve(chosen);
	const shared = process.env.XDG_CACHE_HOME;
	const parent = shared !== undefined && shared !== '' ? shared : path.join(homedir(), '.cache');
	return path.join(parent, 'n8n-nodes-browser-automation');
}

/**
 * Makes sure that a folder exists and is complete. `fill` works in a temporary sibling, which takes the folder's name only
 * when it is done; what an interrupted attempt left is thrown away. Of several processes one fills, the others wait.
 */
export async function fillOnce(
	folder: string,
	fill: (staging: string) => Promise<void>,
	onWait: () => void = () => {},
): Promise<void> {
	if (existsSync(folder)) return;
	mkdirSync(path.dirname(folder), { recursive: true });
	const release = await lockFolder(folder, onWait);
	const staging = `${folder}.partial`;
	try {
		if (existsSync(folder)) return;
		rmSync(staging, { recursive: true, force: true });
		mkdirSync(staging);
		await fill(staging);
		renameSync(staging, folder);
	} finally {
		rmSync(staging, { recursive: true, force: true });
		await release();
	}
}

/** The lock is refreshed every 5 s; one that was not for 30 s belongs to a process that is gone. */
async function lockFolder(folder: string, onWait: () => void): Promise<() => Promise<void>> {
	const options = { realpath: false, stale: 30_000, update: 5_000 };
	try {
		return await lock(folder, options);
	} catch (error) {
		if (!(error instanceof Error && 'code' in error && error.code === 'ELOCKED')) throw error;
	}
	onWait();
	const everySecond = { forever: true, minTimeout: 1_000, maxTimeout: 1_000 };
	return await lock(folder, { ...options, retries: everySecond });
}
