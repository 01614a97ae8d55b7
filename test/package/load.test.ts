import 'reflect-metadata';

import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { LazyPackageDirectoryLoader, PackageDirectoryLoader } from 'n8n-core';

import manifest from '../../package.json';

const project = join(__dirname, '../..');

/** As it is after writing and reading it as JSON. */
function stored(value: unknown): unknown {
	return JSON.parse(JSON.stringify(value));
}

function published(ending: string): string[] {
	return readdirSync(join(project, 'dist'), { recursive: true, encoding: 'utf8' })
		.filter((file) => file.endsWith(ending))
		.map((file) => join(project, 'dist', file));
}

describe('n8n knows the package without loading it', () => {
	const eager = new PackageDirectoryLoader(project);
	const lazy = new LazyPackageDirectoryLoader(project);

	beforeAll(async () => {
		await eager.loadAll();
		await lazy.loadAll();
	});

	it('as well as after loading all of it', () => {
		expect(lazy.isLazyLoaded).toBe(true);
		expect(lazy.known).toEqual(stored(eager.known));
		expect(lazy.types.credentials).toEqual(stored(eager.types.credentials));
		const loaded = eager.types.nodes.map((type) => ({ ...type, __loadOptionsMethods: undefined }));
		expect(lazy.types.nodes).toEqual(stored(loaded));
	});

	it('and finds each class when it is used', () => {
		for (const name of Object.keys(eager.known.nodes)) {
			expect(lazy.getNode(name).type).toHaveProperty('description.name', name);
		}
		for (const name of Object.keys(eager.known.credentials)) {
			expect(lazy.getCredential(name).type).toHaveProperty('name', name);
		}
	});
});

it('publishes code without comments, but for the names of the files that it was made of', () => {
	const files = published('.js');
	expect(files.length).toBeGreaterThan(manifest.n8n.nodes.length);
	const allowed = /^\/\/ (?:nodes\/|credentials\/|index\.ts$|package\.json$|Annotate the )/;
	for (const file of files) {
		const lines = readFileSync(file, 'utf8')
			.split('\n')
			.map((line) => line.trim());
		const comments = lines.filter((line) => /^(?:\/\/ |\/\*|\* )/.test(line));
		expect(comments.filter((comment) => !allowed.test(comment))).toEqual([]);
	}
});

it('sorts without the language data of Node while it loads, which takes longer than the rest', () => {
	const program = `
		require('n8n-workflow');
		String.prototype.localeCompare = () => { throw new Error('localeCompare while loading'); };
		const nodes = require(${JSON.stringify(project)});
		console.log(Object.values(nodes).map((Class) => new Class()).length);
	`;
	const loaded = execFileSync(process.execPath, ['--eval', program], {
		cwd: project,
		encoding: 'utf8',
	});
	expect(Number(loaded)).toBe(manifest.n8n.nodes.length + manifest.n8n.credentials.length);
});
