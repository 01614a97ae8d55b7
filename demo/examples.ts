import { readdirSync } from 'node:fs';
import path from 'node:path';
import type { Credential, N8nClient, StoredWorkflow } from '../n8n/client';
import { readWorkflowFile, withCredentials } from '../n8n/workflow';

const folder = path.join(__dirname, '..', 'examples');

/** Imports every example workflow in the order of the file names, linked to the credentials that it names. */
export async function importExamples(
	client: N8nClient,
	credentials: Credential[],
): Promise<StoredWorkflow[]> {
	const files = readdirSync(folder)
		.filter((file) => file.endsWith('.json'))
		.sort();
	const imported: StoredWorkflow[] = [];
	for (const file of files) {
		const definition = readWorkflowFile(path.join(folder, file));
		imported.push(await client.createWorkflow(withCredentials(definition, credentials)));
	}
	return imported;
}
