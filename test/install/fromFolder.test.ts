import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { LazyPackageDirectoryLoader } from 'n8n-core';

import { placeOf } from '../../dev/n8n/packedPackage';
import manifest from '../../package.json';
import { codeBlocksOf, ROOT } from '../project/markdown';

const PACKED = ['dist', 'index.js', 'LICENSE', 'package.json', 'README.md'];

/** npm as it is, but for what the package was built by before this test. */
const NPM = `#!/usr/bin/env bash
case "$1" in ci|run) echo "npm $*" ;; *) exec "${join(dirname(process.execPath), 'npm')}" "$@" ;; esac
`;

const lines = codeBlocksOf('README.md').find(({ code }) => code.includes('npm pack'))?.code ?? '';
let folder: string;

beforeAll(() => {
	folder = mkdtempSync(join(tmpdir(), 'from-folder-'));
	for (const name of PACKED) {
		cpSync(join(ROOT, name), join(folder, 'package', name), { recursive: true });
	}
	mkdirSync(join(folder, 'bin'));
	writeFileSync(join(folder, 'bin/npm'), NPM);
	chmodSync(join(folder, 'bin/npm'), 0o755);
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

it('the two lines of the README put the package where n8n loads it from, without a network', async () => {
	expect(lines.split('\n')).toHaveLength(2);
	const output = execFileSync('bash', ['-eo', 'pipefail', '-c', lines], {
		cwd: join(folder, 'package'),
		encoding: 'utf8',
		stdio: ['ignore', 'pipe', 'pipe'],
		env: {
			...process.env,
			HOME: folder,
			PATH: [join(folder, 'bin'), process.env.PATH].join(delimiter),
			npm_config_cache: join(folder, 'cache'),
			npm_config_offline: 'true',
		},
	});
	expect(output).toMatch(/^npm ci\nnpm run build\n/);

	const loader = new LazyPackageDirectoryLoader(placeOf(manifest.name, folder));
	await loader.loadAll();
	expect(loader.types.nodes).toHaveLength(manifest.n8n.nodes.length);
	expect(loader.types.credentials).toHaveLength(manifest.n8n.credentials.length);
}, 120_000);

it('the Dockerfile installs the same archive', () => {
	const archive = `${manifest.name}-${manifest.version}.tgz`;
	expect(lines).toContain(`./${archive}`);
	const [dockerfile] = codeBlocksOf('docs/run/queue-mode.md').filter(
		({ language }) => language === 'dockerfile',
	);
	expect(dockerfile?.code).toContain(`COPY ${archive} `);
});
