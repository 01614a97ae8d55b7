import {
	cpSync,
	existsSync,
	mkdirSync,
	mkdtempSync,
	readdirSync,
	readFileSync,
	rmSync,
	writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

import { n8nVersions, readManifest } from '../../dev/n8n/versions';
import { addServer, versionsOf } from '../../tools/servers/add';
import { changesBetween, PARTS, type Part } from '../../tools/servers/parts';

const project = join(__dirname, '../..');

let folder: string;

beforeEach(() => {
	folder = mkdtempSync(join(tmpdir(), 'servers-'));
	cpSync(join(project, 'dev/n8n/servers.json'), join(folder, 'servers.json'));
	for (const version of n8nVersions) {
		const { packageJson, lock: locked } = readManifest(version);
		mkdirSync(join(folder, `server-${version}`));
		writeFileSync(join(folder, `server-${version}/package.json`), packageJson);
		writeFileSync(join(folder, `server-${version}/package-lock.json`), locked);
	}
});

afterEach(() => rmSync(folder, { recursive: true }));

function put(file: string, content: string): void {
	mkdirSync(dirname(join(folder, file)), { recursive: true });
	writeFileSync(join(folder, file), content);
}

function json(file: string): object {
	const content: object = JSON.parse(readFileSync(join(folder, file), 'utf8'));
	return content;
}

async function lock(target: string): Promise<void> {
	const packages = {
		'node_modules/n8n': { version: '2.50.3', engines: { node: '>=24.0.0' } },
		'node_modules/n8n-core': { version: '2.50.1' },
		'node_modules/n8n-workflow': { version: '2.50.0' },
	};
	writeFileSync(join(target, 'package-lock.json'), JSON.stringify({ packages }));
}

describe('a further n8n', () => {
	it('is pinned first of all when it is the newest, with the Node that it asks for', async () => {
		const before = versionsOf(folder, '2.41');
		expect(await addServer(folder, '2.50.3', lock)).toEqual({ name: '2.50', before });
		expect(Object.keys(json('servers.json'))).toEqual(['2.50', ...n8nVersions]);
		expect(json('servers.json')).toMatchObject({ '2.50': { node: '>=24.0.0' } });
		const { overrides } = JSON.parse(readManifest('2.41').packageJson);
		expect(json('server-2.50/package.json')).toMatchObject({
			name: 'n8n-server-2.50',
			dependencies: { n8n: '2.50.3' },
			overrides,
		});
		expect(versionsOf(folder, '2.50')).toEqual({
			n8n: '2.50.3',
			'n8n-core': '2.50.1',
			'n8n-workflow': '2.50.0',
		});
	});

	it('stands by its number, not by its digits', async () => {
		await addServer(folder, '2.5.0', lock);
		expect(Object.keys(json('servers.json'))).toEqual(['2.41', '2.5', '1.123']);
	});

	it('leaves nothing behind when it cannot be had', async () => {
		const fail = async (): Promise<void> => {
			throw new Error('no such version');
		};
		const before = versionsOf(folder, '2.41');
		for (const version of ['2.50.3', '2.41.999']) {
			await expect(addServer(folder, version, fail)).rejects.toThrow('no such version');
		}
		expect(readdirSync(folder)).toHaveLength(n8nVersions.length + 1);
		expect(versionsOf(folder, '2.41')).toEqual(before);
		expect(Object.keys(json('servers.json'))).toEqual([...n8nVersions]);
	});

	it('takes the place of an earlier release of its own', async () => {
		const before = versionsOf(folder, '1.123');
		expect(await addServer(folder, '1.123.999', lock)).toEqual({ name: '1.123', before });
		expect(Object.keys(json('servers.json'))).toEqual([...n8nVersions]);
		expect(json('server-1.123/package.json')).toMatchObject({ dependencies: { n8n: '1.123.999' } });
		expect(versionsOf(folder, '1.123')).not.toEqual(before);
		expect(readdirSync(folder)).toHaveLength(n8nVersions.length + 1);
	});

	it.each([
		['that is pinned', versionsOf(join(project, 'dev/n8n'), '2.41').n8n, 'pinned already'],
		['that is none', 'latest', 'no version'],
	])('is refused as one %s', async (_, version, reason) => {
		await expect(addServer(folder, version, lock)).rejects.toThrow(reason);
	});
});

it('each server in the gate has a folder, and each folder a server', () => {
	const folders = readdirSync(join(project, 'dev/n8n')).filter((name) =>
		name.startsWith('server-'),
	);
	expect(folders.sort()).toEqual(n8nVersions.map((version) => `server-${version}`).sort());
});

it('what changed in a part is printed: nothing, lines, that it is gone, that it is new', () => {
	const part = (file: string): Part => ({ package: 'n8n', file, what: file });
	const contents: Array<[string, string | undefined, string | undefined]> = [
		['same.js', 'one\n', 'one\n'],
		['changed.js', 'one\ntwo\n', 'one\nthree\nfour\n'],
		['gone.js', 'one\n', undefined],
		['new.js', undefined, 'one\n'],
	];
	for (const [file, before, after] of contents) {
		if (before !== undefined) put(`before/n8n/${file}`, before);
		if (after !== undefined) put(`after/n8n/${file}`, after);
	}
	const { summary, differences } = changesBetween(
		join(folder, 'before'),
		join(folder, 'after'),
		contents.map(([file]) => part(file)),
	);
	expect(summary.map((line) => line.split(': ')[1])).toEqual([
		'the same',
		'+2 -1 lines',
		'GONE',
		'new',
	]);
	expect(differences).toContain('+three');
});

it.each(PARTS.filter((part) => part.package !== 'n8n'))(
	'$package/$file, for $what, is there',
	({ package: name, file }) => {
		expect(existsSync(join(project, 'node_modules', name, file))).toBe(true);
	},
);
