import {
	NodeConnectionTypes,
	type IExecuteFunctions,
	type INodeExecutionData,
	type INodeType,
	type INodeTypeDescription,
} from 'n8n-workflow';
import type { ItemResult } from '../../../nodes/BrowserAutomation/execution/executable';
import { takeFile } from '../../../nodes/BrowserAutomation/execution/files/download';
import {
	downloadFilesOf,
	downloadRequestsOf,
	type RunReading,
} from '../../../nodes/BrowserAutomation/execution/files/downloadFiles';
import { ATTACHED_FILES, type FileSettings } from '../../../nodes/BrowserAutomation/fields/files';
import { execute } from '../../../nodes/BrowserAutomation/execution/router';
import { runResult } from '../../../nodes/BrowserAutomation/execution/handlers';
import { runField } from '../../../nodes/BrowserAutomation/fields/records';
import { resource, type Operation } from '../../../nodes/BrowserAutomation/resources/operation';
import { catalogueProperties } from '../../../nodes/BrowserAutomation/resources/catalogue';
import { run as runs } from '../../../nodes/BrowserAutomation/resources/run';
import { filesOf } from '../../../nodes/BrowserAutomation/service/files/files';
import { isJsonObject } from '../../../nodes/BrowserAutomation/service/json/json';
import { V3_RUNS } from '../../../nodes/BrowserAutomation/service/runs/runApi';

/** Reads a run and makes its result, as every operation does that ends with the result of a run. */
const result: Operation = {
	name: 'Result',
	action: 'Get the result of a run',
	description: 'Read a run with its output and files',
	fields: [runField],
	// The tests answer with tasks, too.
	request: (values) => ({ ...V3_RUNS.detailRequest(values(runField)), expects: {} }),
	answer: runResult,
};

/** Reads the first file of a run, whose connection counts as broken after a fifth of a second of silence. */
const readImpatiently: Operation = {
	name: 'Read Impatiently',
	action: 'Read a file impatiently',
	description: 'Read a file from a connection on which nothing may come for a short time only',
	fields: [runField],
	request: (values) => V3_RUNS.detailRequest(values(runField)),
	answer: async (request, { client, context }) => {
		const run = await client.send(request);
		const reading = { context, client, request, run: isJsonObject(run) ? run : {} };
		const [file] = filesOf(reading.run);
		if (file === undefined) return [];
		return await takeFile(
			downloadRequestsOf(reading)(file),
			async ({ fileName, bytes }) => {
				let text = '';
				for await (const piece of bytes) text += Buffer.from(piece);
				return [{ json: { fileName, text } }];
			},
			200,
		);
	},
};

/** What an operation does that reads a run and attaches its files. */
function attaching(
	naming: Pick<Operation, 'name' | 'action' | 'description'>,
	attach: (reading: RunReading, settings: FileSettings) => Promise<ItemResult[]>,
): Operation {
	return {
		...naming,
		fields: [runField, ...ATTACHED_FILES.fields],
		request: (values) => V3_RUNS.detailRequest(values(runField)),
		answer: async (request, { client, context, values }) => {
			const run = await client.send(request);
			const settings = ATTACHED_FILES.read(values);
			if (!isJsonObject(run) || settings === undefined) return [];
			return await attach({ context, client, request, run }, settings);
		},
	};
}

let time = new AbortController();

/** Ends the time that the download under way has. */
export function endTimeForFiles(): void {
	time.abort();
}

/** Downloads the files of a run until its time is over, as a trigger does. */
const downloadInTime = attaching(
	{
		name: 'Download in Time',
		action: 'Download files in time',
		description: 'Download the files of a run until the time for them is over',
	},
	async (reading, settings) => {
		time = new AbortController();
		const inTime = { ...reading, signal: time.signal };
		const { list, binary } = await downloadFilesOf(inTime, {
			...settings,
			ifOneFails: 'continue',
		});
		return [{ json: { files: list }, binary }];
	},
);

/** Downloads the files of a run into a store of n8n’s that has no room. */
const downloadIntoFullStore = attaching(
	{
		name: 'Download Into Full Store',
		action: 'Download files into a full store',
		description: 'Download the files of a run into a store that is full',
	},
	async (reading, settings) => {
		reading.context.helpers.prepareBinaryData = async () =>
			await Promise.reject(new Error('ENOSPC: no space left on device'));
		const { binary } = await downloadFilesOf(reading, settings);
		return [{ json: {}, binary }];
	},
);

const run = resource('run', 'Run', {
	description: 'What only this test does with runs',
	operations: { downloadInTime, downloadIntoFullStore, result, readImpatiently },
});
run.operations.unshift(...runs.operations.filter(({ value }) => value === 'downloadFiles'));

/** A node with nothing but the operations on files. */
export class FilesNode implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Files',
		name: 'files',
		group: ['transform'],
		version: 1,
		description: 'Files of runs',
		defaults: { name: 'Files' },
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		credentials: [{ name: 'browserAutomationApi', required: true }],
		properties: catalogueProperties([run]),
	};

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		const name = this.getNodeParameter('operation', 0);
		const operation = run.operations.find(({ value }) => value === name);
		if (operation === undefined) throw new Error('There is no such operation');
		return await execute(this, operation);
	}
}
