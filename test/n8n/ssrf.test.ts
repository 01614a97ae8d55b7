import { createServer, type Server } from 'node:http';
import path from 'node:path';

import { N8nClient } from '../../dev/n8n/client';
import type { NodeRun } from '../../dev/n8n/execution';
import { startN8n, type N8nServer } from '../../dev/n8n/server';
import { workflowOf } from '../../dev/n8n/workflow';
import { newestN8n } from '../../dev/n8n/versions';
import { packedPackage } from './sharedServer';
import { manualTrigger, refersTo, runInEditor } from './workbench';

/** Where the service of this test lives, whose address n8n is told to allow. */
const SERVICE_ADDRESS = '127.0.0.1';

/** Where a private network would be: n8n may only be led there by names. */
const PRIVATE_ADDRESS = '127.0.0.2';

let service: Server;
let inside: Server;
let insideAsked: string[] = [];
let n8n: N8nServer;
let client: N8nClient;
let credential: Awaited<ReturnType<N8nClient['createCredential']>>;

beforeAll(async () => {
	inside = createServer((request, response) => {
		insideAsked.push(request.headers.host ?? '');
		if (request.url === '/redirect') {
			const location = `http://files.inside.test:${portOf(inside)}/file`;
			response.writeHead(302, { location }).end();
			return;
		}
		response.writeHead(200, { 'content-type': 'text/plain' }).end('from the inside');
	});
	service = createServer((request, response) => {
		const [host, file] = decodeURIComponent(request.url?.split('/').at(-1) ?? '').split(' ');
		const link = `http://${host}.inside.test:${portOf(inside)}/${file}`;
		const taskId = `${host} ${file}`;
		const download = { file_name: 'a.txt', download_url: link };
		response.writeHead(200, { 'content-type': 'application/json' });
		response.end(
			JSON.stringify({ task_id: taskId, status: 'finished', download_files: [download] }),
		);
	});
	await listen(inside, PRIVATE_ADDRESS);
	await listen(service, SERVICE_ADDRESS);
	n8n = await startN8n({
		version: newestN8n(),
		packages: [packedPackage()],
		environment: {
			NODE_OPTIONS: `--require ${path.join(__dirname, 'resolveTestNames.js')}`,
			N8N_SSRF_PROTECTION_ENABLED: 'true',
			N8N_SSRF_ALLOWED_IP_RANGES: `${SERVICE_ADDRESS}/32`,
			N8N_SSRF_ALLOWED_HOSTNAMES: 'allowed.inside.test',
		},
	});
	client = await N8nClient.signIn(n8n.url);
	credential = await client.createCredential('Service', 'browserAutomationApi', {
		baseUrl: `http://${SERVICE_ADDRESS}:${portOf(service)}`,
		apiKey: 'key',
	});
}, 20 * 60_000);

beforeEach(() => {
	insideAsked = [];
});

afterAll(async () => {
	await n8n?.remove();
	inside?.close();
	service?.close();
});

async function listen(server: Server, address: string): Promise<void> {
	await new Promise<void>((resolve) => server.listen(0, address, resolve));
}

function portOf(server: Server): number {
	const address = server.address();
	if (typeof address !== 'object' || address === null) throw new Error('The server has no port');
	return address.port;
}

/** Downloads the file of a run, whose link leads to this host and path. */
async function download(host: string, file: string): Promise<NodeRun | undefined> {
	const node = {
		name: 'Files',
		type: 'n8n-nodes-browser-automation.browserAutomation',
		parameters: {
			resource: 'run',
			operation: 'downloadFiles',
			taskId: { __rl: true, mode: 'id', value: `${host} ${file}` },
		},
		credentials: refersTo(credential),
	};
	const workflow = await client.createWorkflow(workflowOf('Files', [manualTrigger, node]));
	const execution = await runInEditor(client, workflow);
	return execution.runs('Files')[0];
}

const REFUSED = {
	message: expect.stringMatching(
		/^The file "a\.txt" of run .* could not be downloaded: the SSRF protection of this n8n does not allow its address$/,
	),
	description: expect.stringContaining('N8N_SSRF_ALLOWED_HOSTNAMES'),
};

describe('n8n’s protection of the inner network, switched on', () => {
	it('refuses a file whose name leads there, and the error says so', async () => {
		const run = await download('files', 'file');

		expect(run).toMatchObject({ status: 'error', failure: REFUSED });
		expect(insideAsked).toEqual([]);
	});

	it('refuses a redirect there, and the error says so', async () => {
		const run = await download('allowed', 'redirect');

		expect(run).toMatchObject({ status: 'error', failure: REFUSED });
		expect(insideAsked).toEqual([`allowed.inside.test:${portOf(inside)}`]);
	});

	it('lets a name through that is allowed', async () => {
		const run = await download('allowed', 'file');

		expect(run?.failure).toBeUndefined();
		expect(run?.outputs[0]?.map(({ binary }) => Object.keys(binary))).toEqual([
			[expect.any(String)],
		]);
		expect(insideAsked).toHaveLength(1);
	});
});
