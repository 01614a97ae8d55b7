import path from 'node:path';
import { satisfies } from 'semver';
import { cacheFolder, fillOnce } from './cache';
import { runInstallStep } from './npm';
import type { ReportProgress } from './progress';
import { nodeRangeOf, type N8nVersion } from './versions';

/** Path of a Node that can run this n8n: the running one where it fits, else Node 24, installed as an npm package. */
export async function nodeFor(version: N8nVersion, report: ReportProgress): Promise<string> {
	if (satisfies(process.versions.node, nodeRangeOf(version))) return process.execPath;
	const folder = path.join(cacheFolder(), 'node-24');
	const task = 'Downloading Node 24';
	await fillOnce(
		folder,
		async (staging) => {
			report(task);
			await runInstallStep({
				arguments: [
					'install',
					'node@24',
					'--prefix',
					staging,
					'--ignore-scripts=false',
					'--no-audit',
					'--no-fund',
				],
				folder: staging,
				subject: 'Node 24',
				purpose: 'download',
			});
		},
		() => report('Waiting for another process that downloads Node 24'),
	);
	return path.join(folder, 'node_modules', 'node', 'bin', 'node');
}
