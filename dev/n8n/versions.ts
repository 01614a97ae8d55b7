import { readFileSync } from 'node:fs';
import path from 'node:path';

import servers from './servers.json';

/**
 * The n8n servers that are pinned, newest first: servers.json says on which Node each runs (n8n's `engines`, and what its native
 * modules are built for); the package.json and the lock in its folder `server-<version>` say what is installed.
 */
export const n8nVersions = Object.keys(servers).filter(isN8nVersion);

export type N8nVersion = keyof typeof servers;

export function isN8nVersion(text: string): text is N8nVersion {
	return text in servers;
}

/** The one in which everything is tested that is tested in one version alone. */
export function newestN8n(): N8nVersion {
	const [newest] = n8nVersions;
	if (newest === undefined) throw new Error('No n8n is pinned in servers.json.');
	return newest;
}

/** The Node versions that a server runs on. */
export function nodeRangeOf(version: N8nVersion): string {
	return servers[version].node;
}

export interface Manifest {
	packageJson: string;
	lock: string;
}

/** Reads what pins a server: the texts of its package.json and its lock. */
export function readManifest(version: N8nVersion): Manifest {
	const folder = path.join(__dirname, `server-${version}`);
	return {
		packageJson: readFileSync(path.join(folder, 'package.json'), 'utf8'),
		lock: readFileSync(path.join(folder, 'package-lock.json'), 'utf8'),
	};
}
