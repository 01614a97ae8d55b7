import { randomUUID } from 'node:crypto';
import { readdirSync } from 'node:fs';
import path from 'node:path';
import type { Credential, N8nClient, StoredWorkflow } from '../n8n/client';
import type { N8nVersion } from '../n8n/versions';
import { readWorkflowFile, withCredentials } from '../n8n/workflow';
import type { Sandbox } from '../sandbox/server';
import { ChatModel } from './chatModel';

const folder = path.join(__dirname, '../..', 'examples');

/** What the examples need so that they run as they are. */
export interface ExampleSetup {
	credentials: Credential[];
	close(): Promise<void>;
}

/** Gives the examples a service with a run that failed, a chat model that plays the agent's part, and n8n's own API. */
export async function setExampleSetup(client: N8nClient, sandbox: Sandbox): Promise<ExampleSetup> {
	const service = await client.createCredential(
		'Browser Automation account',
		'browserAutomationApi',
		{ baseUrl: sandbox.url, apiKey: sandbox.key },
	);
	const input = { keyword: 'desk lamp', max_results: 3 };
	const model = await ChatModel.start(
		[
			{ tool: 'Search_the_Shop', arguments: input },
			{ tool: 'Find_a_Template', arguments: { keyword: 'price' } },
			{ tool: 'Read_Its_Input', arguments: { template_id: '2001' } },
			{ tool: 'Run_It', arguments: { template_id: '2001', input } },
		],
		describeCheapest,
	);
	const openAi = await client.createCredential('OpenAI account', 'openAiApi', {
		apiKey: 'none',
		url: model.url,
	});
	const n8n = await client.createCredential('n8n account', 'n8nApi', {
		apiKey: await client.createApiKey(randomUUID()),
		baseUrl: `${client.session.url}/api/v1`,
	});
	await seedRuns(sandbox);
	return { credentials: [service, openAi, n8n], close: async () => await model.close() };
}

/** A run that ended well and one that failed, for the examples that look for such runs. */
async function seedRuns(sandbox: Sandbox): Promise<void> {
	const createdFrom = new Date().toISOString();
	await sandbox.seedRuns({ count: 1, createdFrom });
	await sandbox.seedRuns({ count: 1, createdFrom, bot: '1004', statuses: ['failed'] });
}

/** What the agent says of the rows that the shop's bot gave. */
function describeCheapest(answers: string[]): string {
	const rows = answers.flatMap((answer) => [
		...answer.replaceAll('\\"', '"').matchAll(/"title":\s*"([^"]+)",\s*"price":\s*([\d.]+)/g),
	]);
	const [cheapest] = rows
		.map(([, title = '', price]) => ({ title, price: Number(price) }))
		.sort((a, b) => a.price - b.price);
	return cheapest === undefined
		? answers.join('\n')
		: `The cheapest of ${rows.length} is ${cheapest.title}, for ${cheapest.price}.`;
}

/**
 * What n8n 1.123 cannot run by hand: it does not tell a manual execution that the workflow is published, which 06 needs to reach
 * its trigger; its Data Table node makes no tables, which 10 needs; its API lists no execution that fell asleep in the process
 * that answers, which 13 needs.
 */
const NEED_N8N_2 = /^(06|10|13)-/;

/** The files of the examples that this n8n can run by hand as they are, in their order. */
export function exampleFiles(version: N8nVersion): string[] {
	return readdirSync(folder)
		.filter((file) => file.endsWith('.json'))
		.filter((file) => version !== '1.123' || !NEED_N8N_2.test(file))
		.sort();
}

/**
 * Imports an example, linked to the credentials that it names. It is published where a node gives its run to the trigger of the
 * same workflow, which only a published workflow has.
 */
export async function importExample(
	client: N8nClient,
	file: string,
	credentials: Credential[],
): Promise<StoredWorkflow> {
	const definition = readWorkflowFile(path.join(folder, file));
	const workflow = await client.createWorkflow(withCredentials(definition, credentials));
	const notifiesItself = definition.nodes.some(({ parameters }) =>
		JSON.stringify(parameters).includes('"notify":"trigger"'),
	);
	if (notifiesItself) await client.activate(workflow);
	return workflow;
}
