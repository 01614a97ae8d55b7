import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

import { cacheFolder, fillOnce } from '../dev/n8n/cache';
import { packPackage } from '../dev/n8n/packedPackage';
import { INSTALL_FLAGS, runInstallStep, withAddresses } from '../dev/n8n/npm';

/**
 * Runs the checks that n8n makes before it verifies a package, over the source and over the packed package, and the
 * unchanged ESLint configuration of n8n's command line over what is published, with no way to switch a rule off. Exit status
 * 1 when anything is found.
 */
const project = path.join(__dirname, '..');
const manifest = path.join(project, 'dev/n8n/scanner');

async function installScanner(): Promise<string> {
	const lock = readFileSync(path.join(manifest, 'package-lock.json'), 'utf8');
	const key = createHash('sha256').update(lock).digest('hex').slice(0, 12);
	const folder = path.join(cacheFolder(), `scanner-${key}`);
	await fillOnce(folder, async (staging) => {
		cpSync(manifest, staging, { recursive: true });
		writeFileSync(path.join(staging, 'package-lock.json'), await withAddresses(lock, staging));
		await runInstallStep({
			arguments: ['ci', ...INSTALL_FLAGS],
			folder: staging,
			subject: 'n8n’s package scanner',
			purpose: 'download',
		});
	});
	return folder;
}

/** The scanner's findings in a folder, as text; empty when there are none. */
function scan(scanner: string, folder: string, kind: 'source' | 'package'): string {
	const script = pathToFileURL(
		path.join(scanner, 'node_modules/@n8n/scan-community-package/scanner/scanner.mjs'),
	).href;
	return run(
		scanner,
		`
		import { analyzePackage, SOURCE_FILE_PATTERNS } from ${JSON.stringify(script)};
		const patterns = ${kind === 'source'} ? SOURCE_FILE_PATTERNS : ['**/*.js', 'package.json'];
		const { passed, message, details } = await analyzePackage(${JSON.stringify(folder)}, patterns);
		if (!passed) console.log(message, details ?? '');
	`,
	);
}

/** What `n8n-node lint` finds in the source of the package; empty when it finds nothing. */
function lint(scanner: string): string {
	return run(
		scanner,
		`
		import { config } from '@n8n/node-cli/eslint';
		import { ESLint } from 'eslint';
		const eslint = new ESLint({
			cwd: ${JSON.stringify(project)},
			overrideConfigFile: true,
			overrideConfig: config,
			allowInlineConfig: false,
		});
		const results = await eslint.lintFiles(['nodes', 'credentials', 'package.json']);
		if (results.length < 3) console.log('Nothing was linted.');
		console.log((await eslint.loadFormatter()).format(results));
	`,
	);
}

function run(scanner: string, program: string): string {
	return execFileSync(process.execPath, ['--input-type=module', '--eval', program], {
		cwd: scanner,
		encoding: 'utf8',
	}).trim();
}

async function main(): Promise<void> {
	const scanner = await installScanner();
	const unpacked = mkdtempSync(path.join(tmpdir(), 'scan-'));
	const packed = await packPackage();
	try {
		execFileSync('tar', ['-xzf', packed.archive, '-C', unpacked, '--strip-components=1']);
		const findings = [
			['In the source', scan(scanner, project, 'source')],
			['In the package', scan(scanner, unpacked, 'package')],
			['By n8n’s ESLint configuration', lint(scanner)],
		].filter(([, text]) => text !== '');
		for (const [what, text] of findings) console.error(`${what}: ${text}`);
		if (findings.length === 0) console.log('Nothing was found in the source or the package.');
		else process.exitCode = 1;
	} finally {
		packed.remove();
		rmSync(unpacked, { recursive: true, force: true });
	}
}

main().catch((error: unknown) => {
	console.error(error instanceof Error ? error.message : error);
	process.exitCode = 1;
});
