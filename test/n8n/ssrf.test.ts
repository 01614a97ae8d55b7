import path from 'node:path';

import type { Credential } from '../../dev/n8n/client';
import type { NodeRun } from '../../dev/n8n/execution';
import { forAllTests } from '../fixture/fixture';
import { answerJson, Origin } from '../fixture/origin';
import { chosen } from '../fixture/parameters';
import { useOwnN8n } from './useBench';
import { refersTo } from './workbench';

/** Where the service of this test lives, whose address n8n is told to allow. */
const SERVICE_ADDRESS = '127.0.0.1';

/** Where a private network would be: n8n may only be led there by names. */
const PRIVATE_ADDRESS = '127.0.0.2';

const service = forAllTests(new Origin(SERVICE_ADDRESS));
const inside = forAllTests(new Origin(PRIVATE_ADDRESS));
const environment = {
	NODE_OPTIONS: `--require ${path.join(__dirname, 'resolveTestNames.js')}`,
	N8N_SSRF_PROTECTION_ENABLED: 'true',
	N8N_SSRF_ALLOWED_IP_RANGES: `${SERVICE_ADDRESS}/32`,
	N8N_SSRF_ALLOWED_HOSTNAMES: 'allowed.inside.test',
};
const { bench } = useOwnN8n({ environment });
let credential: Credential;

beforeAll(async () => {
	const data = { baseUrl: service.url, apiKey: 'key' };
	credential = await bench().client.createCredential('Service', 'browserAutomationApi', data);
});

beforeEach(() => {
	inside.answerWith((request, response) => {
		const location = `http://files.inside.test:${inside.port}/file`;
		if (request.url === '/redirect') response.writeHead(302, { location }).end();
		else response.writeHead(200, { 'content-type': 'text/plain' }).end('from the inside');
	});
	service.answerWith((request, response) => {
		const [host, file] = decodeURIComponent(request.url?.split('/').at(-1) ?? '').split(' ');
		const link = `http://${host}.inside.test:${inside.port}/${file}`;
		const download = { file_name: 'a.txt', download_url: link };
		const run = { task_id: `${host} ${file}`, status: 'finished' };
		answerJson(response, 200, { ...run, download_files: [download] });
	});
});

/** The names under which the inner network was asked. */
function askedInside(): unknown[] {
	return inside.received.map(({ headers }) => headers.host);
}

/** Downloads the file of a run, whose link leads to this host and path. */
async function download(host: string, file: string): Promise<NodeRun | undefined> {
	const run = { resource: 'run', operation: 'downloadFiles', taskId: chosen(`${host} ${file}`) };
	const node = bench().botNode(run, { credentials: refersTo(credential) });
	return (await bench().runLine([node])).runs('Bot')[0];
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
		expect(askedInside()).toEqual([]);
	});

	it('refuses a redirect there, and the error says so', async () => {
		const run = await download('allowed', 'redirect');

		expect(run).toMatchObject({ status: 'error', failure: REFUSED });
		expect(askedInside()).toEqual([`allowed.inside.test:${inside.port}`]);
	});
});
