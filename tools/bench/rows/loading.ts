import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { runNpm } from '../../../dev/n8n/npm';
import { packPackage } from '../../../dev/n8n/packedPackage';
import { inTurn, shown, spreadOf } from '../rounds';

const ROUNDS = 15;
const BESIDE = '@mendable/n8n-nodes-firecrawl@2.1.2';

const project = path.join(__dirname, '../../..');

interface Loaded {
	/** CPU time until n8n knows the package, as when it starts, in milliseconds. */
	start: number;
	/** The same until all of it is loaded as well. */
	all: number;
	/** Kilobytes of heap that are kept then. */
	heap: number;
}

/** What it costs n8n to have the package, beside Firecrawl's. Each figure is of a process of its own. */
export async function loading(): Promise<void> {
	const folder = mkdtempSync(path.join(tmpdir(), 'loading-'));
	const packed = await packPackage();
	try {
		const archives = { ours: packed.archive, theirs: await download(BESIDE, folder) };
		const ours = unpack(archives.ours, path.join(folder, 'ours'));
		const theirs = unpack(archives.theirs, path.join(folder, 'theirs'));
		const empty = path.join(folder, 'empty');
		mkdirSync(empty);
		writeFileSync(path.join(empty, 'package.json'), '{ "name": "n8n-nodes-empty", "n8n": {} }');
		const measures = await inTurn(ROUNDS, {
			ours: async () => load(ours, empty),
			theirs: async () => load(theirs, empty),
		});
		console.log('\nThe package in n8n');
		console.table({
			'Browser Automation': figures(measures.ours ?? [], archives.ours, ours),
			Firecrawl: figures(measures.theirs ?? [], archives.theirs, theirs),
		});
	} finally {
		packed.remove();
		rmSync(folder, { recursive: true, force: true });
	}
}

async function download(name: string, folder: string): Promise<string> {
	const { status, output } = await runNpm({ arguments: ['pack', name], folder });
	const archive = readdirSync(folder).find((file) => file.endsWith('.tgz'));
	if (status !== 0 || archive === undefined) throw new Error(`${name} did not come:\n${output}`);
	return path.join(folder, archive);
}

function unpack(archive: string, folder: string): string {
	mkdirSync(folder);
	execFileSync('tar', ['-xzf', archive, '-C', folder, '--strip-components=1']);
	return folder;
}

/** Loads a package as n8n does, in a process that has loaded an empty one before. */
function load(folder: string, empty: string): Loaded {
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

function figures(measures: Loaded[], archive: string, folder: string): Record<string, string> {
	const files = readdirSync(folder, { recursive: true, withFileTypes: true });
	return {
		'n8n starts (CPU ms)': shown(spreadOf(measures.map(({ start }) => start)), 1),
		'all is loaded (CPU ms)': shown(spreadOf(measures.map(({ all }) => all)), 1),
		'heap (KB)': shown(spreadOf(measures.map(({ heap }) => heap))),
		'packed (KB)': (statSync(archive).size / 1000).toFixed(1),
		files: String(files.filter((entry) => entry.isFile()).length),
	};
}
