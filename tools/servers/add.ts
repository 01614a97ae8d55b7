import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { lt, parse } from 'semver';

import { isRecord, textOf } from '../../dev/n8n/json';

/** The versions that a lock holds of n8n and of the parts of it that nodes meet. */
export const PACKAGES = ['n8n', 'n8n-core', 'n8n-workflow'] as const;

export type Versions = Record<(typeof PACKAGES)[number], string>;

/**
 * Pins a further n8n: a folder with its package.json and its lock, and a line in servers.json; or a newer
 * release of one that is pinned, in its place. What that, or else the newest so far, needs of other packages' versions is taken over.
 *
 * @param folder dev/n8n/, where the servers stand
 * @param version of n8n, e.g. `2.42.0`
 * @param lock writes package-lock.json beside the package.json of a folder
 * @returns the name under which it is known, e.g. `2.42`, and that one's versions before
 * @throws Error for a version that is none, or that is there; then all is as before
 */
export async function addServer(
	folder: string,
	version: string,
	lock: (folder: string) => Promise<void>,
): Promise<{ name: string; before: Versions }> {
	const read = parse(version);
	if (read === null) throw new Error(`"${version}" is no version of n8n, such as 2.41.1.`);
	const name = `${read.major}.${read.minor}`;
	const file = path.join(folder, 'servers.json');
	const servers = objectIn(file);
	const [newest = ''] = Object.keys(servers);
	const target = path.join(folder, `server-${name}`);
	const model = name in servers ? name : newest;
	const manifest = objectIn(path.join(folder, `server-${model}`, 'package.json'));
	const before = versionsOf(folder, model);
	if (before.n8n === version) throw new Error(`n8n ${version} is pinned already.`);
	const staging = `${target}.new`;
	rmSync(staging, { recursive: true, force: true });
	mkdirSync(staging);
	try {
		write(path.join(staging, 'package.json'), {
			...manifest,
			name: `n8n-server-${name}`,
			dependencies: { n8n: version },
		});
		await lock(staging);
		const node = textOf(lockedPackage(staging, 'n8n').engines, 'node');
		const all = Object.entries({ ...servers, [name]: { node } });
		all.sort(([one], [other]) => (lt(`${one}.0`, `${other}.0`) ? 1 : -1));
		rmSync(target, { recursive: true, force: true });
		renameSync(staging, target);
		write(file, Object.fromEntries(all));
	} catch (error) {
		rmSync(staging, { recursive: true, force: true });
		throw error;
	}
	return { name, before };
}

/** What a pinned server consists of. */
export function versionsOf(folder: string, name: string): Versions {
	const [n8n, core, workflow] = PACKAGES.map((one) =>
		textOf(lockedPackage(path.join(folder, `server-${name}`), one), 'version'),
	);
	return { n8n: n8n ?? '', 'n8n-core': core ?? '', 'n8n-workflow': workflow ?? '' };
}

function lockedPackage(folder: string, name: string): Record<string, unknown> {
	const { packages } = objectIn(path.join(folder, 'package-lock.json'));
	const entry = isRecord(packages) ? packages[`node_modules/${name}`] : undefined;
	if (!isRecord(entry)) throw new Error(`The lock in ${folder} does not hold ${name}.`);
	return entry;
}

function objectIn(file: string): Record<string, unknown> {
	const content: unknown = JSON.parse(readFileSync(file, 'utf8'));
	if (!isRecord(content)) throw new Error(`${file} holds no object.`);
	return content;
}

function write(file: string, content: object): void {
	writeFileSync(file, `${JSON.stringify(content, undefined, '\t')}\n`);
}
