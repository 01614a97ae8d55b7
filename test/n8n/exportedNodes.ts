import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { n8nEnvironment } from '../../dev/n8n/environment';
import { installServer } from '../../dev/n8n/installation';
import { isRecord } from '../../dev/n8n/json';
import { placePackage } from '../../dev/n8n/packedPackage';
import { freePort } from '../../dev/n8n/ports';
import { newestN8n } from '../../dev/n8n/versions';
import { addressOf } from '../../tools/release/repository';
import { packedPackage } from './sharedServer';

/**
 * What `n8n export:nodes` says of the nodes whose names begin like this, by name: the descriptions as
 * the editor gets them, the tool variants included. Whose release it is, is left out.
 */
export async function exportNodes(beginning: string): Promise<Array<Record<string, unknown>>> {
	const folder = mkdtempSync(path.join(tmpdir(), 'n8n-export-'));
	try {
		const { node, nodeMajor, script } = await installServer(newestN8n(), () => {});
		await placePackage(packedPackage(), folder);
		const environment = n8nEnvironment({
			node,
			nodeMajor,
			userFolder: folder,
			port: await freePort(),
			brokerPort: await freePort(),
			encryptionKey: 'export',
			additional: {},
		});
		const file = path.join(folder, 'nodes.json');
		await promisify(execFile)(node, [script, 'export:nodes', `--output=${file}`], {
			cwd: folder,
			env: environment,
			maxBuffer: 64 * 1024 ** 2,
		});
		return read(file).filter(({ name }) => String(name).startsWith(beginning));
	} finally {
		rmSync(folder, { recursive: true, force: true });
	}
}

function read(file: string): Array<Record<string, unknown>> {
	const text = readFileSync(file, 'utf8').replaceAll(addressOf(''), 'the release/');
	const exported: unknown = JSON.parse(text, (key, value: unknown) =>
		key === 'communityNodePackageVersion' ? undefined : value,
	);
	const nodes = Array.isArray(exported) ? exported : [];
	return nodes.filter(isRecord).sort((a, b) => String(a.name).localeCompare(String(b.name)));
}
