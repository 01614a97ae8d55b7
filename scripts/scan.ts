import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

import { cacheFolder, fillOnce } from '../n8n/cache';
import { packPackage } from '../n8n/packedPackage';
import { runInstallStep } from '../n8n/npm';

/**
 * Runs the checks that n8n makes before it verifies a package, over the source and over the packed
 * package, with no way to switch a rule off. Exit status 1 when anything is found.
 */
const project = path.join(__dirname, '..');
const manifest = path.join(project, 'n8n/scanner');

async function installScanner(): Promise<string> {
	const lock = readFileSync(path.join(manifest, 'package-lock.json'));
	const key = createHash('sha256').update(lock).digest('hex').slice(0, 12);
	const folder = path.join(cacheFolder(), `scanner-${key}`);
	await fillOnce(folder, async (staging) => {
		cpSync(manifest, staging, { recursive: true });
		await runInstallStep({
			arguments: ['ci', '--legacy-peer-deps', '--ignore-scripts', '--no-audit', '--no-fund'],
			folder: staging,
			subject: 'n8n’s package scanner',
			purpose: 'download',
		});
	});
	return folder;
}

/** The findings in a folder, as text; empty when there are none. */
function scan(scanner: string, folder: string, kind: 'source' | 'package'): string {
	const script = pathToFileURL(
		path.join(scanner, 'node_modules/@n8n/scan-community-package/scanner/scanner.mjs'),
	).href;
	const program = `
		import { analyzePackage, SOURCE_FILE_PATTERNS } from ${JSON.stringify(script)};
		const patterns = ${kind === 'source'} ? SOURCE_FILE_PATTERNS : ['**/*.js', 'package.json'];
		const { passed, message, details } = await analyzePackage(${JSON.stringify(folder)}, patterns);
		if (!passed) console.log(message, details ?? '');
	`;
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
			['source', scan(scanner, project, 'source')],
			['package', scan(scanner, unpacked, 'package')],
		].filter(([, text]) => text !== '');
		for (const [what, text] of findings) console.error(`In the ${what}: ${text}`);
		if (findings.length === 0)
			console.log('The scanner found nothing in the source or the package.');
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
