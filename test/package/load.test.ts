import 'reflect-metadata';

import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { LazyPackageDirectoryLoader, PackageDirectoryLoader } from 'n8n-core';

import manifest from '../../package.json';
import { read, ROOT } from '../project/markdown';

/** As it is after writing and reading it as JSON. */
function stored(value: unknown): unknown {
	return JSON.parse(JSON.stringify(value));
}

it('n8n knows the package without loading it as well as after loading all of it', async () => {
	const eager = new PackageDirectoryLoader(ROOT);
	const lazy = new LazyPackageDirectoryLoader(ROOT);
	await eager.loadAll();
	await lazy.loadAll();

	expect(lazy.isLazyLoaded).toBe(true);
	expect(lazy.known).toEqual(stored(eager.known));
	expect(lazy.types.credentials).toEqual(stored(eager.types.credentials));
	const loaded = eager.types.nodes.map((type) => ({ ...type, __loadOptionsMethods: undefined }));
	expect(lazy.types.nodes).toEqual(stored(loaded));
});

it('publishes code without comments, but for the names of the files that it was made of', () => {
	const all = readdirSync(join(ROOT, 'dist'), { recursive: true, encoding: 'utf8' });
	const files = all.filter((file) => file.endsWith('.js'));
	expect(files.length).toBeGreaterThan(manifest.n8n.nodes.length);
	const allowed = /^\/\/ (?:nodes\/|credentials\/|index\.ts$|package\.json$|Annotate the )/;
	for (const file of files) {
		const comments = read(join('dist', file)).match(/(?<=^\s*)(?:\/\/ |\/\*|\* ).*/gm) ?? [];
		expect(comments.filter((comment) => !allowed.test(comment))).toEqual([]);
	}
});

it('sorts without the language data of Node while it loads, which takes longer than the rest', () => {
	const program = `
		require('n8n-workflow');
		String.prototype.localeCompare = () => { throw new Error('localeCompare while loading'); };
		const nodes = require(${JSON.stringify(ROOT)});
		console.log(Object.values(nodes).map((Class) => new Class()).length);
	`;
	const loaded = execFileSync(process.execPath, ['--eval', program], {
		cwd: ROOT,
		encoding: 'utf8',
	});
	expect(Number(loaded)).toBe(manifest.n8n.nodes.length + manifest.n8n.credentials.length);
});
