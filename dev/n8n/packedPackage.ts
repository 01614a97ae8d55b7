import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import manifest from '../../package.json';
import { isRecord, textOf } from './json';
import { runNpm } from './npm';

const projectFolder = path.join(__dirname, '../..');

/** A package as it would be published. */
export interface PackedPackage {
	/** Its name, for example `n8n-nodes-browser-automation`. */
	name: string;
	/** Path of the archive. */
	archive: string;
	remove(): void;
}

/** The archive of the project that is to be taken as it is; empty where it is to be packed. */
const givenArchive = (): string => process.env.PACKAGE_ARCHIVE ?? '';

/** Compiles this project into `dist/`, unless an archive of it is given. */
export async function buildPackage(): Promise<void> {
	if (givenArchive() !== '') return;
	await runNpmScript(['run', 'build'], 'The package could not be built');
}

/**
 * Packs a built package, by default this project, into a temporary folder. Where the environment variable `PACKAGE_ARCHIVE`
 * names an archive of the project, that one is taken as it is: what is released has been tested to the byte.
 */
export async function packPackage(folder: string = projectFolder): Promise<PackedPackage> {
	const given = givenArchive();
	if (folder === projectFolder && given !== '') {
		return { name: manifest.name, archive: given, remove: () => {} };
	}
	const destination = mkdtempSync(path.join(tmpdir(), 'n8n-package-'));
	const output = await runNpmScript(
		['pack', folder, '--json', '--ignore-scripts', '--pack-destination', destination],
		'The package could not be packed',
	);
	const parsed: unknown = JSON.parse(output);
	// npm up to 11 answers with a list, later ones with an object keyed by package name.
	const entries: unknown[] = isRecord(parsed) ? Object.values(parsed) : [parsed].flat();
	const entry = entries[0];
	return {
		name: textOf(entry, 'name'),
		archive: path.join(destination, textOf(entry, 'filename')),
		remove: () => rmSync(destination, { recursive: true, force: true }),
	};
}

/** Where an n8n looks for an installed community package. */
export function placeOf(packageName: string, userFolder: string): string {
	return path.join(userFolder, '.n8n', 'nodes', 'node_modules', packageName);
}

/** Puts a packed package where n8n looks for it. Needs no network. */
export async function placePackage(packed: PackedPackage, userFolder: string): Promise<void> {
	const target = placeOf(packed.name, userFolder);
	rmSync(target, { recursive: true, force: true });
	mkdirSync(target, { recursive: true });
	await promisify(execFile)('tar', ['-xzf', packed.archive, '-C', target, '--strip-components=1']);
}

async function runNpmScript(npmArguments: string[], failure: string): Promise<string> {
	const result = await runNpm({ arguments: npmArguments, folder: projectFolder });
	if (result.status !== 0) throw new Error(`${failure}:\n${result.output.trim()}`);
	return result.stdout;
}
