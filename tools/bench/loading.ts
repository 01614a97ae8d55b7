import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { runNpm } from '../../dev/n8n/npm';
import { packPackage } from '../../dev/n8n/packedPackage';
import { compare } from './figures';

const BESIDE = '@mendable/n8n-nodes-firecrawl@2.1.2';

const project = path.join(__dirname, '../..');

interface Loaded {
	/** CPU time until n8n knows the package, as when it starts, and until all of it is loaded, in milliseconds. */
	start: number;
	all: number;
	/** Kilobytes of heap that are kept then, and of the archive. */
	heap: number;
	packed: number;
}

/** What it costs n8n to have the package, beside Firecrawl's. Each figure is of a process of its own. */
export async function loading(isQuick: boolean): Promise<void> {
	const folder = mkdtempSync(path.join(tmpdir(), 'loading-'));
	const packed = await packPackage();
	try {
		const empty = path.join(folder, 'empty');
		mkdirSync(empty);
		writeFileSync(path.join(empty, 'package.json'), '{ "name": "n8n-nodes-empty", "n8n": {} }');
		const loadingOf = (name: string, archive: string) => {
			const unpacked = path.join(folder, name);
			mkdirSync(unpacked);
			execFileSync('tar', ['-xzf', archive, '-C', unpacked, '--strip-components=1']);
			const size = statSync(archive).size / 1_000;
			return async (): Promise<Loaded> => ({ ...load(unpacked, empty), packed: size });
		};
		const candidates = {
			ours: loadingOf('ours', packed.archive),
			Firecrawl: loadingOf('theirs', await download(folder)),
		};
		await compare('The package in n8n', isQuick ? 1 : 15, candidates, {
			'CPU ms until known': ({ start }) => start,
			'CPU ms until all is loaded': ({ all }) => all,
			'heap KB': ({ heap }) => heap,
			'packed KB': ({ packed: size }) => size,
		});
	} finally {
		packed.remove();
		rmSync(folder, { recursive: true, force: true });
	}
}

async function download(folder: string): Promise<string> {
	const { status, output } = await runNpm({ arguments: ['pack', BESIDE], folder });
	const archive = readdirSync(folder).find((file) => file.endsWith('.tgz'));
	if (status !== 0 || archive === undefined) throw new Error(`${BESIDE} did not come:\n${output}`);
	return path.join(folder, archive);
}

/** Loads a package as n8n does, in a process that has loaded an empty one before. */
function load(folder: string, empty: string): Omit<Loaded, 'packed'> {
	const program = `
		require('reflect-metadata');
		const { LazyPackageDirectoryLoader } = require('n8n-core');
		(async () => {
			await new LazyPackageDirectoryLoader(${JSON.stringify(empty)}).loadAll();
			gc();
			const before = process.memoryUsage().heapUsed;
			const began = process.cpuUsage();
			const spent = () => {
				const { user, system } = process.cpuUsage(began);
				return (user + system) / 1000;
			};
			const loader = new LazyPackageDirectoryLoader(${JSON.stringify(folder)});
			await loader.loadAll();
			for (const name of Object.keys(loader.known.credentials)) loader.getCredential(name);
			const start = spent();
			for (const name of Object.keys(loader.known.nodes)) loader.getNode(name);
			const all = spent();
			gc();
			const heap = (process.memoryUsage().heapUsed - before) / 1024;
			console.log(JSON.stringify({ start, all, heap }));
		})();
	`;
	const printed = execFileSync(process.execPath, ['--expose-gc', '--eval', program], {
		cwd: project,
		encoding: 'utf8',
		// As n8n does for the packages that it brings.
		env: { ...process.env, NODE_PATH: path.join(project, 'node_modules') },
	});
	return JSON.parse(printed);
}
