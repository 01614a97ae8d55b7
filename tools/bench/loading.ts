import { execFileSync } from 'node:child_process';
import { statSync } from 'node:fs';
import path from 'node:path';

import { packPackage } from '../../dev/n8n/packedPackage';
import { compare } from './figures';

const project = path.join(__dirname, '../..');

/** Loads the package as n8n does when it starts and then uses each node, in a process that has loaded n8n's loader before. */
const PROGRAM = `
	require('reflect-metadata');
	const { LazyPackageDirectoryLoader } = require('n8n-core');
	gc();
	const [before, began] = [process.memoryUsage().heapUsed, process.cpuUsage()];
	const loader = new LazyPackageDirectoryLoader(${JSON.stringify(project)});
	loader.loadAll().then(() => {
		for (const name of Object.keys(loader.known.credentials)) loader.getCredential(name);
		for (const name of Object.keys(loader.known.nodes)) loader.getNode(name);
		const { user, system } = process.cpuUsage(began);
		gc();
		const heap = (process.memoryUsage().heapUsed - before) / 1024;
		console.log(JSON.stringify({ cpu: (user + system) / 1000, heap }));
	});
`;

/** What it costs n8n to have the package: CPU time until all of it is loaded, the heap that it keeps, and the size of its archive. */
export async function loading(isQuick: boolean): Promise<void> {
	const archive = await packPackage();
	const packed = statSync(archive.archive).size / 1_000;
	archive.remove();
	const options = { cwd: project, encoding: 'utf8' } as const;
	const load = (): { cpu: number; heap: number } =>
		JSON.parse(execFileSync(process.execPath, ['--expose-gc', '--eval', PROGRAM], options));
	const candidates = { ours: async () => load() };
	await compare('The package in n8n', isQuick ? 1 : 15, candidates, {
		'CPU ms': ({ cpu }) => cpu,
		'heap KB': ({ heap }) => heap,
		'packed KB': () => packed,
	});
}
