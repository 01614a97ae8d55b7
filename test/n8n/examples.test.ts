import { mkdir, mkdtemp, readFile, readdir, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import path from 'node:path';
import type { Credential } from '../../n8n/client';
import type { Execution } from '../../n8n/execution';
import { isRecord } from '../../n8n/json';
import {
	readWorkflowFile,
	withCredentials,
	type WorkflowDefinition,
	type WorkflowNode,
} from '../../n8n/workflow';
import { ChatModel } from './chatModel';
import { sharedClient } from './sharedServer';
import { openWorkbench, type Workbench } from './workbench';

const MANUAL_TRIGGER = 'When clicking ‘Execute workflow’';

let bench: Workbench;

beforeAll(async () => {
	bench = await openWorkbench(sharedClient());
});

beforeEach(async () => {
	await bench.sandbox.reset();
});

afterAll(async () => {
	await bench?.close();
});

interface Changes {
	credentials?: Credential[];
	change?: (definition: WorkflowDefinition) => WorkflowDefinition;
}

/** Imports an example, runs it as a user would with the button in the editor, and waits until it is over. */
async function run(
	file: string,
	{ credentials = [], change = (definition) => definition }: Changes = {},
): Promise<Execution> {
	const { client, credential } = bench;
	const definition = readWorkflowFile(path.join(__dirname, '../../examples', file));
	const linked = withCredentials(change(definition), [credential, ...credentials]);
	const workflow = await client.createWorkflow(linked);
	const executionId = await client.runManually(workflow, { trigger: MANUAL_TRIGGER });
	return await client.waitForExecution(executionId ?? '', { timeout: 120_000 });
}

/** The node that writes a file, with another folder than the one of n8n's container. */
function writingInto(folder: string, node: WorkflowNode): WorkflowNode {
	const parameters = isRecord(node.parameters) ? node.parameters : {};
	const fileName = String(parameters.fileName).replace('/home/node/.n8n-files', folder);
	return { ...node, parameters: { ...parameters, fileName } };
}

describe('the examples that are run by hand', () => {
	it('02: fifty runs, of which five fail, leave by the right output and in order', async () => {
		const execution = await run('02-batch-with-error-output.json');

		expect(execution.failure).toBeUndefined();
		const jobs = Array.from({ length: 50 }, (_, index) => index + 1);
		const found = execution.json('Products Found');
		expect(found).toEqual(
			jobs.filter((job) => job % 10 !== 0).map((job) => ({ job, products: 2 })),
		);
		const runs = await bench.sandbox.runs();
		expect(runs).toHaveLength(50);
		const failed = execution.json('What Went Wrong');
		expect(failed.map(({ job }) => job)).toEqual([10, 20, 30, 40, 50]);
		for (const { reason } of failed) expect(reason).toMatch(/\d+.*the site refused the password/);
	});

	it('03: the CSV file of a run is on the disk', async () => {
		const allowed = path.join(homedir(), '.n8n-files');
		await mkdir(allowed, { recursive: true });
		const folder = await mkdtemp(path.join(allowed, 'example-'));
		try {
			const execution = await run('03-files-to-disk.json', {
				change: (definition) => ({
					...definition,
					nodes: definition.nodes.map((node) =>
						node.name === 'Write the CSV File' ? writingInto(folder, node) : node,
					),
				}),
			});

			expect(execution.failure).toBeUndefined();
			const [file] = await readdir(folder);
			expect(file).toMatch(/^run-\d+\.csv$/);
			const lines = (await readFile(path.join(folder, file ?? ''), 'utf8')).trim().split('\n');
			expect(lines[0]).toContain('title');
			expect(lines).toHaveLength(21);
		} finally {
			await rm(folder, { recursive: true });
		}
	});

	it('05: the agent runs the bot and gets its rows', async () => {
		const model = await ChatModel.start([{ arguments: { keyword: 'desk lamp', max_results: 3 } }]);
		try {
			const openAi = await bench.client.createCredential('OpenAI account', 'openAiApi', {
				apiKey: 'none',
				url: model.url,
			});
			const execution = await run('05-agent-with-a-bot-as-its-tool.json', {
				credentials: [openAi],
			});

			expect(execution.failure).toBeUndefined();
			const answer = String(execution.json('Shopping Assistant')[0]?.output);
			expect(answer.match(/desk lamp/g)).toHaveLength(3);
			const [{ input } = { input: {} }] = await bench.sandbox.runs();
			expect(input).toMatchObject({ keyword: 'desk lamp', max_results: 3 });
		} finally {
			await model.close();
		}
	});
});
