import path from 'node:path';

import type { Credential } from '../../dev/n8n/client';
import type { NodeRun } from '../../dev/n8n/execution';
import { forAllTests } from '../fixture/fixture';
import { answerJson, Origin } from '../fixture/origin';
import { chosen } from '../fixture/parameters';
import { pollingTrigger, PublishedTrigger, seed } from './triggerWorkflows';
import { useOwnN8n } from './useBench';
import { refersTo, until } from './workbench';

/** Where the services of these tests live, whose address n8n is told to allow. */
const SERVICE_ADDRESS = '127.0.0.1';

/** Where a private network would be: n8n may only be led there by names. */
const PRIVATE_ADDRESS = '127.0.0.2';

/** What n8n leaves off by default. */
const environment = {
	NODE_OPTIONS: `--require ${path.join(__dirname, 'resolveTestNames.js')}`,
	N8N_SSRF_PROTECTION_ENABLED: 'true',
	N8N_SSRF_ALLOWED_IP_RANGES: `${SERVICE_ADDRESS}/32`,
	N8N_SSRF_ALLOWED_HOSTNAMES: 'allowed.inside.test',
	// n8n's durable scheduler makes the polls, as soon as it can.
	N8N_SCHEDULER_ENABLED: 'true',
	N8N_SCHEDULER_POLL_TRIGGERS_ENABLED: 'true',
	N8N_USE_WORKFLOW_PUBLICATION_SERVICE: 'true',
	N8N_SCHEDULER_MATERIALIZATION_INTERVAL: '1',
	N8N_SCHEDULER_EXECUTOR_INTERVAL: '1',
};

const { bench } = useOwnN8n({ environment });

/** Every five seconds: n8n takes no schedule that polls more often than once a minute, but several. */
const pollTimes = {
	item: Array.from({ length: 12 }, (_, index) => {
		return { mode: 'custom', cronExpression: `${5 * index} * * * * *` };
	}),
};

async function published(bot: string, options = {}): Promise<PublishedTrigger> {
	const parameters = { pollTimes, filters: { bot: chosen(bot) }, options };
	return await PublishedTrigger.publish(bench(), pollingTrigger(bench().credential, parameters));
}

async function polled(): Promise<void> {
	const lists = async () => (await bench().sandbox.requests({ operation: 'run.getAll' })).length;
	for (let poll = 0; poll < 2; poll++) {
		const before = await lists();
		await until(async () => (await lists()) > before, 'a poll', 60_000);
	}
}

const now = () => ({ createdFrom: new Date().toISOString() });

describe('under n8n’s durable scheduler', () => {
	it('a run is reported once, though the polls before it brought nothing', async () => {
		await seed(bench(), 1, { bot: '1002' });
		const trigger = await published('1002');
		await polled();
		const first = await seed(bench(), 2, { bot: '1002', ...now() });
		expect(await trigger.reported(1)).toEqual(first);
		await polled();
		const second = await seed(bench(), 1, { bot: '1002', ...now() });
		expect(await trigger.reported(2)).toEqual([...first, ...second].sort());
		await trigger.unpublish();
	});

	it('Begin Anew leaves out what happened while the workflow was unpublished, and nothing else', async () => {
		const trigger = await published('1003', { whenPublishedAgain: 'beginAnew' });
		const before = await seed(bench(), 1, { bot: '1003', ...now() });
		await trigger.reported(1);
		await trigger.unpublish();
		await seed(bench(), 1, { bot: '1003', ...now() });
		await trigger.publishAgain();
		await polled();
		const after = await seed(bench(), 1, { bot: '1003', ...now() });
		expect(await trigger.reported(2)).toEqual([...before, ...after].sort());
		await trigger.unpublish();
	});

	it('Look Back begins earlier, and tells each run once', async () => {
		const createdTo = new Date(Date.now() - 3_600_000).toISOString();
		const old = await seed(bench(), 2, { bot: '1008', createdFrom: createdTo, createdTo });
		const trigger = await published('1008', { lookBack: 2 });
		expect(await trigger.reported(1)).toEqual(old);
		await polled();
		const later = await seed(bench(), 1, { bot: '1008', ...now() });
		expect(await trigger.reported(2)).toEqual([...old, ...later].sort());
		await trigger.unpublish();
	});
});

describe('n8n’s protection of the inner network, switched on', () => {
	const service = forAllTests(new Origin(SERVICE_ADDRESS));
	const inside = forAllTests(new Origin(PRIVATE_ADDRESS));
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

	it.each<[string, string, string, string[]]>([
		['refuses a file whose name leads there', 'files', 'file', []],
		['refuses a redirect there', 'allowed', 'redirect', ['allowed.inside.test']],
	])('%s, and the error says so', async (_, host, file, asked) => {
		expect(await download(host, file)).toMatchObject({ status: 'error', failure: REFUSED });
		expect(askedInside()).toEqual(asked.map((name) => `${name}:${inside.port}`));
	});
});
