import { cpSync, watch } from 'node:fs';
import path from 'node:path';
import { buildPackage } from '../n8n/packedPackage';

const PROJECT = path.join(__dirname, '../..');

/** What a build is made of. */
const SOURCES = ['credentials', 'icons', 'nodes'];

/** How long after a change a build begins: editors save several files at once. In milliseconds. */
const SETTLED_AFTER = 200;

/** With this setting n8n reloads the nodes of packages whose files change, and open editors show them. */
export const RELOADING = { N8N_DEV_RELOAD: 'true' };

/**
 * Builds the package again whenever a source changes, and puts it where an n8n with `RELOADING` has its own. A build that fails
 * is reported, and n8n keeps what it has.
 *
 * @param placed the package's folder in that n8n
 * @param report gets a line for each build
 * @returns ends the watching
 */
export function reloadOnChange(placed: string, report: (what: string) => void): () => void {
	let timer: NodeJS.Timeout | undefined;
	let building = Promise.resolve();
	const build = async (): Promise<void> => {
		try {
			await buildPackage();
			cpSync(path.join(PROJECT, 'dist'), path.join(placed, 'dist'), { recursive: true });
			report('Built anew; n8n reloads the nodes');
		} catch (error) {
			report(error instanceof Error ? error.message : String(error));
		}
	};
	const changed = (): void => {
		clearTimeout(timer);
		timer = setTimeout(() => {
			building = building.then(build);
		}, SETTLED_AFTER);
	};
	const watchers = SOURCES.map((folder) =>
		watch(path.join(PROJECT, folder), { recursive: true }, changed),
	);
	return () => {
		clearTimeout(timer);
		for (const watcher of watchers) watcher.close();
	};
}
