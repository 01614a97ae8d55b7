import type { ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import type { IDataObject } from 'n8n-workflow';

import type { Harness, Run } from '../core/harness';
import {
	actionNode,
	apiCredential,
	answerJson,
	chosen,
	createNodes,
	forAllTests,
	Origin,
	type Handler,
} from '../fixture';
import { lapseTime, until } from '../timeLapse';

const service = forAllTests(new Origin());
let harness: Harness;

beforeAll(() => (harness = createNodes({ url: service.url, key: 'secret' })));
lapseTime();

const MEGABYTE = 1024 ** 2;

/** With the credential, which says how requests are sent. */
async function operate(limits: IDataObject, ...setup: Parameters<typeof actionNode>): Promise<Run> {
	const credentials = apiCredential({ url: service.url, key: 'secret' }, limits);
	return await harness.run({ ...actionNode(...setup), credentials });
}

async function cancelRun(limits: IDataObject): Promise<Run> {
	return await operate(limits, 'run', 'cancel', { taskId: chosen('7') });
}

async function startBot(limits: IDataObject, waitForCompletion = 'none'): Promise<Run> {
	const parameters = { botId: chosen('1'), inputMode: 'json', input: '{}', waitForCompletion };
	return await operate(limits, 'bot', 'run', parameters);
}

/** Lets the bot be read, and answers its start like this. */
function answerStart(handle: Handler): void {
	service.answerWith((request, response) => {
		if (request.method === 'POST') handle(request, response);
		else answerJson(response, 200, { bot_id: '1' });
	});
}

/** Sends some more of a body each moment, until nobody listens. @returns how often it has done so */
function goOn(response: ServerResponse, more: string, everyMs: number): () => number {
	let times = 0;
	response.writeHead(200, { 'Content-Type': 'application/json' });
	const timer = setInterval(() => {
		response.write(more);
		times += 1;
	}, everyMs);
	response.on('close', () => clearInterval(timer));
	return () => times;
}

describe('an answer', () => {
	it('that trickles is given up at Response Timeout, however often a byte comes', async () => {
		let bytes = (): number => 0;
		service.answerWith((_, response) => (bytes = goOn(response, ' ', 20)));
		const { error } = await cancelRun({ responseTimeout: 1 });
		expect(error?.message).toContain('no complete answer within 1 seconds');
		expect(error?.description).toContain('Response Timeout (Seconds)');
		expect(bytes()).toBeLessThan(5_000 / 20);
		expect(service.received).toHaveLength(1);
		await until(() => service.broken === 1, 'the connection ends');
	});

	it('without an end is given up at Max Response Size, and not asked for again', async () => {
		service.answerWith((_, response) => goOn(response, `"${'x'.repeat(MEGABYTE / 4)}",`, 1));
		const { error } = await operate({ maxResponseSize: 2 }, 'run', 'get', { taskId: chosen('7') });
		expect(error?.message).toContain('The service’s answer is larger than 2 MB');
		expect(error?.description).toContain("Raise 'Max Response Size (MB)' in the credential");
		expect(service.received).toHaveLength(1);
		await until(() => service.broken === 1, 'the connection ends');
	});

	it.each([
		['counts as large as it is unpacked', `["${'x'.repeat(3 * MEGABYTE)}"]`, 'larger than 2 MB'],
		['that cannot be unpacked is reported', undefined, 'its answer could not be unpacked'],
	])('%s', async (_, body, words) => {
		const packed = body === undefined ? Buffer.from('no gzip') : gzipSync(body);
		service.answerWith((__, response) => {
			response.writeHead(200, { 'Content-Encoding': 'gzip' }).end(packed);
		});
		expect(packed.length).toBeLessThan(MEGABYTE / 10);
		const { error } = await cancelRun({ maxResponseSize: 2 });
		expect(error?.message).toContain(words);
	});
});

describe('the start of a run', () => {
	it('whose answer trickles or has no end may have begun one', async () => {
		answerStart((_, response) => goOn(response, ' ', 20));
		const { error } = await startBot({ responseTimeout: 1 });
		expect(error?.message).toMatch(/within 1 seconds. Whether the run was started is not known/);
		answerStart((_, response) => goOn(response, ' '.repeat(MEGABYTE), 1));
		const { error: endless } = await startBot({ maxResponseSize: 1 });
		expect(endless?.message).toContain('Whether the run was started is not known');
		expect(service.received.filter(({ method }) => method === 'POST')).toHaveLength(1);
	});
});

it.each([
	['responseTimeout', 'Response Timeout (Seconds)', [0, 3_601, 'soon']],
	['maxResponseSize', 'Max Response Size (MB)', [0, 501, '']],
])('%s is refused where it cannot be', async (name, label, values) => {
	for (const value of values) {
		service.answerWith((_, response) => answerJson(response, 200, {}));
		const { error } = await cancelRun({ [name]: value });
		expect(error?.message).toContain(`'${label}' is not a whole number from 1 to`);
		expect(service.received).toEqual([]);
	}
});
