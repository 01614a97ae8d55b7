import {
	NodeConnectionTypes,
	type IExecuteFunctions,
	type INodeExecutionData,
	type INodeType,
	type INodeTypeDescription,
} from 'n8n-workflow';

import { callOwnAddress } from '../../nodes/BrowserAutomation/transport/ownAddress';
import { createHarness } from '../core/harness';
import { answerJson, forAllTests, jsonOf, notFound, Origin } from '../fixture';

/** Calls the address in its parameter, and tells what came in time. */
class CallingNode implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Calling',
		name: 'calling',
		group: ['transform'],
		version: 1,
		description: 'Calls n8n',
		defaults: { name: 'Calling' },
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		properties: [
			{ displayName: 'URL', name: 'url', type: 'string', default: '' },
			{ displayName: 'Timeout', name: 'timeout', type: 'number', default: 0 },
		],
	};

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		const url = String(this.getNodeParameter('url', 0));
		const timeout = Number(this.getNodeParameter('timeout', 0));
		const answer = await callOwnAddress(this, 'POST', url, timeout);
		return [[{ json: { answer: answer && { status: answer.status, body: answer.body } } }]];
	}
}

const n8n = forAllTests(new Origin());

const CALLING = 'n8n-nodes-browser-automation.calling';
const harness = createHarness({
	nodes: { [CALLING]: new CallingNode() },
	credentialTypes: {},
	credentials: {},
});

afterEach(() => n8n.answerWith(notFound));

/** What a node is told of n8n's answer, which may take so many milliseconds. */
async function called(url: string, timeout = 20_000): Promise<unknown> {
	const run = await harness.run({ nodeType: CALLING, parameters: { url, timeout } });
	return jsonOf(run)[0]?.answer;
}

it.each([200, 409, 503])('an answer of n8n is told, also one with status %i', async (status) => {
	n8n.answerWith((_, response) => answerJson(response, status, { message: 'told' }));
	expect(await called(n8n.url)).toEqual({ status, body: { message: 'told' } });
	expect(n8n.received).toEqual([expect.objectContaining({ method: 'POST' })]);
});

it('a proxy’s redirect is an answer: the call goes nowhere else', async () => {
	n8n.answerWith((_, response) => response.writeHead(307, { location: '/elsewhere' }).end());
	expect(await called(n8n.url)).toMatchObject({ status: 307 });
	expect(n8n.received).toHaveLength(1);
});

it('nothing is told where n8n is not reached, and nothing fails', async () => {
	expect(await called('http://127.0.0.1:1/')).toBeUndefined();
});

it('nothing is told where no answer comes in time', async () => {
	n8n.answerWith(() => undefined);
	expect(await called(n8n.url, 300)).toBeUndefined();
});
