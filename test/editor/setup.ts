import { importExample, setExampleSetup } from '../../dev/demo/examples';
import { N8nClient } from '../../dev/n8n/client';
import { isRecord, textOf } from '../../dev/n8n/json';
import { packPackage } from '../../dev/n8n/packedPackage';
import type { ReportProgress } from '../../dev/n8n/progress';
import { startN8n } from '../../dev/n8n/server';
import { demoOwner } from '../../dev/n8n/session';
import { newestN8n } from '../../dev/n8n/versions';
import { startSandbox, type Sandbox } from '../../dev/sandbox/server';
import { Editor } from './editor';

/** A real n8n with the built package, the service, and a browser at the editor. */
export interface Setup {
	editor: Editor;
	sandbox: Sandbox;
	/** Removes the user's credentials, as if he were new, or gives him one that works. */
	setCredential(given: 'none' | 'working'): Promise<void>;
	/** Gives the user another credential, e.g. for a node of n8n's own, which n8n then chooses in it. */
	addCredential(type: string, data: Record<string, string>): Promise<void>;
	/** Imports one of the examples, with all that it needs to run as it is, and opens it. */
	openExample(file: string): Promise<void>;
	close(): Promise<void>;
}

/**
 * Sets everything up; the package has to be built.
 *
 * @throws when n8n, its data or the browser is missing and cannot be installed
 */
export async function openSetup(report: ReportProgress = () => undefined): Promise<Setup> {
	const closing: Array<() => Promise<unknown>> = [];
	const close = async (): Promise<void> => {
		for (const end of closing.reverse()) await end();
	};
	try {
		const packed = await packPackage();
		closing.push(async () => packed.remove());
		const server = await startN8n({
			version: newestN8n(),
			packages: [packed],
			editor: true,
			report,
		});
		closing.push(async () => await server.remove());
		const sandbox = await startSandbox({ durations: { created: 200, running: 2_500 } });
		closing.push(async () => await sandbox.close());
		const client = await N8nClient.signIn(server.url);
		const editor = await Editor.open(server.url, demoOwner);
		closing.push(async () => await editor.close());
		return {
			editor,
			sandbox,
			setCredential: async (given) => {
				await deleteCredentials(client);
				if (given === 'none') return;
				const data = { baseUrl: sandbox.url, apiKey: sandbox.key };
				await client.createCredential('Browser Automation account', 'browserAutomationApi', data);
			},
			addCredential: async (type, data) => {
				await client.createCredential(`${type} account`, type, data);
			},
			openExample: async (file) => {
				await deleteCredentials(client);
				const examples = await setExampleSetup(client, sandbox);
				closing.push(async () => await examples.close());
				const workflow = await importExample(client, file, examples.credentials);
				await editor.openWorkflow(workflow.workflowId);
			},
			close,
		};
	} catch (error) {
		await close();
		throw error;
	}
}

async function deleteCredentials(client: N8nClient): Promise<void> {
	const answer = await client.request('GET', '/credentials');
	const credentials: unknown[] = Array.isArray(answer) ? answer : [];
	for (const credential of credentials.filter(isRecord)) {
		await client.request('DELETE', `/credentials/${textOf(credential, 'id')}`);
	}
}
