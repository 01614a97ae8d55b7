import type { INodeParameters } from 'n8n-workflow';

import type { Harness, HarnessOptions, Run, RunOptions } from '../../core/harness';
import { chosen, createNodes, notFound, Origin, type Login } from '../../fixture';
import { FilesNode } from './filesNode';

const FILES_NODE = 'n8n-nodes-browser-automation.files';

/** An n8n with the node of nothing but the operations on files. */
export function createFilesNode(login: Login, options: Partial<HarnessOptions> = {}): Harness {
	return createNodes(login, { nodes: { [FILES_NODE]: new FilesNode() }, ...options });
}

/** That node, set up for an operation on run 9001. */
export function filesNode(
	operation: string,
	parameters: INodeParameters = {},
	further: Partial<RunOptions> = {},
): RunOptions {
	return {
		nodeType: FILES_NODE,
		...further,
		parameters: { resource: 'run', operation, taskId: chosen('9001'), ...parameters },
	};
}

/** That node between a service and a file store, both on this machine. Open it before use. */
export class FilesFixture {
	static readonly KEY = 'secret-key-4711';

	readonly service = new Origin();
	readonly store = new Origin();
	private opened: Harness | undefined;

	async open(): Promise<void> {
		await Promise.all([this.service.open(), this.store.open()]);
		const login = { url: this.service.url, key: FilesFixture.KEY };
		this.opened = createFilesNode(login, { binaryData: 'filesystem' });
	}

	get harness(): Harness {
		if (this.opened === undefined) throw new Error('The fixture is not open');
		return this.opened;
	}

	/** Carries an operation out on run 9001. */
	async run(...setup: Parameters<typeof filesNode>): Promise<Run> {
		return await this.harness.run(filesNode(...setup));
	}

	/** A service and a store that have nothing. */
	reset(): void {
		this.service.answerWith(notFound);
		this.store.answerWith(notFound);
	}

	async close(): Promise<void> {
		await Promise.all([this.service.close(), this.store.close()]);
	}
}
