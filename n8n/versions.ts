import { readFileSync } from 'node:fs';
import path from 'node:path';

/** The n8n servers that are pinned here, each by the package.json and the lock in its folder `server-<version>`. */
export const n8nVersions = ['2.41', '1.123'] as const;

export type N8nVersion = (typeof n8nVersions)[number];

export function isN8nVersion(text: string): text is N8nVersion {
	return n8nVersions.some((version) => version === text);
}

/** The Node versions that a server runs on (n8n's `engines`, and what its native modules are built for). */
export const nodeRange: Record<N8nVersion, string> = {
	'2.41': '^24.0.0',
	'1.123': '^20.19.0 || ^22.0.0 || ^24.0.0',
};

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
