import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * The environment n8n-core reads while it loads, so this file is imported before n8n-core. `N8N_USER_FOLDER` is a directory of
 * this process alone: the folder `.n8n` of the person running the tests is never read or written.
 */
export const userFolder = mkdtempSync(join(tmpdir(), 'n8n-core-harness-'));

process.env['N8N_USER_FOLDER'] = userFolder;
process.env['N8N_ENCRYPTION_KEY'] = 'harness-encryption-key';
process.env['N8N_LOG_LEVEL'] = 'silent';
process.env['N8N_DIAGNOSTICS_ENABLED'] = 'false';

function removeUserFolder(): void {
	rmSync(userFolder, { recursive: true, force: true });
}

if (typeof afterAll === 'function') afterAll(removeUserFolder);
else process.once('exit', removeUserFolder);
