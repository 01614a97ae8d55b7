import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

import manifest from '../../package.json';
import { ROOT } from '../project/markdown';

function packedFiles(): string[] {
	const output = execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
		cwd: ROOT,
		encoding: 'utf8',
		stdio: ['ignore', 'pipe', 'ignore'],
	});
	const [packed]: Array<{ files: Array<{ path: string }> }> = JSON.parse(output);
	return packed?.files.map((file) => file.path) ?? [];
}

it('packs the compiled package, index.js, README and LICENSE only', () => {
	const files = packedFiles();
	const others = files.filter((file) => !file.startsWith('dist/'));
	expect(others.sort()).toEqual(['LICENSE', 'README.md', 'index.js', 'package.json']);
	expect(files).toEqual(
		expect.arrayContaining([...manifest.n8n.nodes, ...manifest.n8n.credentials]),
	);
});

it('has no runtime dependencies, and n8n-workflow as its only peer', () => {
	expect(manifest).not.toHaveProperty('dependencies');
	expect(manifest.peerDependencies).toEqual({ 'n8n-workflow': '*' });
});

it('gives every node and credential class to whoever requires it', () => {
	const registered = [...manifest.n8n.nodes, ...manifest.n8n.credentials].map(
		(file) => file.split('/').at(-1)?.split('.')[0],
	);
	const exported: Record<string, unknown> = jest.requireActual('../..');
	expect(Object.keys(exported).sort()).toEqual(registered.sort());
	for (const exportedClass of Object.values(exported))
		expect(exportedClass).toBeInstanceOf(Function);
});

it('ships each icon and codex file that n8n looks for', () => {
	for (const file of manifest.n8n.nodes) {
		expect(existsSync(join(ROOT, file.replace(/\.js$/, '.json')))).toBe(true);
	}
	for (const icon of ['browserAutomation.svg', 'browserAutomation.dark.svg']) {
		expect(existsSync(join(ROOT, 'dist/icons', icon))).toBe(true);
	}
});
