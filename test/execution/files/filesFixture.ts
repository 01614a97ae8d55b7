import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { IBinaryData, IExecuteFunctions, INodeParameters } from 'n8n-workflow';

import type { DownloadRequest } from '../../../nodes/BrowserAutomation/execution/files/download';
import type { RunReading } from '../../../nodes/BrowserAutomation/execution/files/downloadFiles';
import type { JsonObject } from '../../../nodes/BrowserAutomation/service/json/json';
import { V3_RUNS } from '../../../nodes/BrowserAutomation/service/runs/runApi';
import type { Harness, Run, RunOptions } from '../../core/harness';
import { userFolder } from '../../core/harness/environment';
import { actionNode, chosen, createNodes, notFound, Origin } from '../../fixture';
import { inTurn, serving } from './fileStore';

/** The action node, set up for an operation on run 9001. */
export function runNode(
	operation: string,
	parameters: INodeParameters = {},
	further: Partial<RunOptions> = {},
): RunOptions {
	return actionNode('run', operation, { taskId: chosen('9001'), ...parameters }, further);
}

/** The action node between a service and a file store, both on this machine. Open it before use. */
export class FilesFixture {
	static readonly KEY = 'secret-key-4711';

	readonly service = new Origin();
	readonly store = new Origin();
	private opened: Harness | undefined;

	async open(): Promise<void> {
		await Promise.all([this.service.open(), this.store.open()]);
		const login = { url: this.service.url, key: FilesFixture.KEY };
		this.opened = createNodes(login, { binaryData: 'filesystem' });
	}

	get harness(): Harness {
		if (this.opened === undefined) throw new Error('The fixture is not open');
		return this.opened;
	}

	async run(...setup: Parameters<typeof runNode>): Promise<Run> {
		return await this.harness.run(runNode(...setup));
	}

	async download(options: INodeParameters = {}, further: Partial<RunOptions> = {}): Promise<Run> {
		return await this.run('downloadFiles', { files: options }, further);
	}

	/** The run with these files; with others at each further reading, the last ones again and again. */
	serveFiles(...readings: JsonObject[][]): void {
		const known = { task_id: '9001', status: 'finished' };
		const runs = readings.map((files) => ({ ...known, download_files: files }));
		this.service.answerWith(inTurn(...runs.map((run) => serving(() => run))));
	}

	/** A file of the run, behind a link to the store. */
	file(path = '1', further: JsonObject = {}): JsonObject {
		return { file_name: 'archive.bin', download_url: `${this.store.url}/${path}`, ...further };
	}

	order(context: IExecuteFunctions): DownloadRequest {
		return {
			context,
			client: { baseUrl: this.service.url, send: async () => await Promise.resolve(undefined) },
			taskId: '9001',
			file: { key: 'file_1', group: 'other', url: `${this.store.url}/1` },
			renew: async () => await Promise.resolve(undefined),
			signal: undefined,
			maxBytes: Infinity,
			sizeAdvice: '',
		};
	}

	/** A run that was read, and is the same when it is read again. */
	reading(context: IExecuteFunctions, run: JsonObject, signal?: AbortSignal): RunReading {
		const client = { baseUrl: this.service.url, send: async () => await Promise.resolve(run) };
		const request = V3_RUNS.detailRequest('9001');
		return { context, client, request, run, ...(signal !== undefined && { signal }) };
	}

	async bytesOf(run: Run, property = 'file_1'): Promise<Buffer> {
		return await this.harness.readBinary(binaryOf(run, property));
	}

	reset(): void {
		this.service.answerWith(notFound);
		this.store.answerWith(notFound);
	}

	async close(): Promise<void> {
		await Promise.all([this.service.close(), this.store.close()]);
	}
}

export function binaryOf({ outputs, error }: Run, property: string): IBinaryData {
	const binary = outputs[0]?.[0]?.binary?.[property];
	if (binary === undefined) throw error ?? new Error(`There is no binary field ${property}`);
	return binary;
}

/** The list of files, or the end of the message about the one that failed. */
export function outcomeOf({ outputs, error }: Run): unknown {
	if (error === undefined) return outputs[0]?.[0]?.json.files;
	return error.message.replace(/^The file ".*" of run 9001 could not be downloaded: /, '');
}

export function stored(): string[] {
	const folder = join(userFolder, 'binary-data');
	if (!existsSync(folder)) return [];
	return readdirSync(folder, { recursive: true, withFileTypes: true })
		.filter((entry) => entry.isFile())
		.map(({ parentPath, name }) => join(parentPath, name));
}
