import { installServer } from './installation';
import { withProgress } from './progress';
import { n8nVersions } from './versions';

/** Installs every pinned n8n that is not in the cache folder yet. Exit status 1, and what to do, when one cannot be. */
async function main(): Promise<void> {
	for (const version of n8nVersions) {
		await withProgress(async (report) => await installServer(version, report));
	}
}

main().catch((error: unknown) => {
	console.error(error instanceof Error ? error.message : error);
	process.exitCode = 1;
});
