import { parse } from 'flatted';
import { isRecord, textOf } from './json';

/** A line of n8n's list of executions. */
export interface ExecutionSummary {
	executionId: string;
	/** new, running, waiting, success, error, canceled, crashed, unknown */
	status: string;
	/** How it was started: manual, trigger, webhook, integrated, ... */
	mode: string;
}

export interface NodeFailure {
	message: string;
	description: string | undefined;
}

export interface OutputItem {
	json: Record<string, unknown>;
	/** Its files, as n8n describes them. */
	binary: Record<string, unknown>;
	/** Position of the input item that it came from, where n8n knows it. */
	pairedItem: number | undefined;
}

/** One run of a node within an execution. */
export interface NodeRun {
	/** success, error, waiting, ... */
	status: string;
	/** Epoch milliseconds. */
	startedAt: number;
	/** The items by output; the error output is the last one. */
	outputs: OutputItem[][];
	failure: NodeFailure | undefined;
	/** Hints for the user, shown above the node's output. */
	hints: string[];
	/** What the node noted about its run, for example `resumeUrl`. */
	metadata: Record<string, unknown>;
}

/** An execution with its data. */
export class Execution implements ExecutionSummary {
	readonly executionId: string;

	readonly status: string;

	readonly mode: string;

	readonly workflowId: string;

	/** The whole data as n8n stores it: `resultData`, `executionData`, ... */
	readonly data: Record<string, unknown>;

	/** @param answer what `GET /rest/executions/:id` answers */
	constructor(answer: unknown) {
		({ executionId: this.executionId, status: this.status, mode: this.mode } = readSummary(answer));
		this.workflowId = textOf(answer, 'workflowId');
		this.data = recordOf(parse(textOf(answer, 'data')));
	}

	get isOver(): boolean {
		return isOver(this.status);
	}

	/**
	 * Whether status and data belong together. n8n 1 stores them one after the other, so that for a moment an execution may
	 * be over with the data of the time when it slept or began.
	 */
	get isConsistent(): boolean {
		if (this.status === 'error') return this.failure !== undefined;
		if (this.status !== 'success') return true;
		const pending = list(recordOf(this.data.executionData).nodeExecutionStack);
		return this.lastNode !== undefined && pending.length === 0;
	}

	/** What made the execution fail. */
	get failure(): NodeFailure | undefined {
		return readFailure(this.resultData.error);
	}

	/** Name of the node that ran last. */
	get lastNode(): string | undefined {
		const { lastNodeExecuted } = this.resultData;
		return typeof lastNodeExecuted === 'string' ? lastNodeExecuted : undefined;
	}

	/** Every run of a node, oldest first; empty when it did not run. */
	runs(node: string): NodeRun[] {
		return list(recordOf(this.resultData.runData)[node]).map(readNodeRun);
	}

	/** The items of one output of a node's latest run. */
	items(node: string, output = 0): OutputItem[] {
		return this.runs(node).at(-1)?.outputs[output] ?? [];
	}

	/** The JSON of the items of one output of a node's latest run. */
	json(node: string, output = 0): Array<Record<string, unknown>> {
		return this.items(node, output).map((item) => item.json);
	}

	private get resultData(): Record<string, unknown> {
		return recordOf(this.data.resultData);
	}
}

/** Whether an execution with this status is over, well or badly. */
export function isOver(status: string): boolean {
	return !['new', 'running', 'waiting'].includes(status);
}

export function readSummary(entry: unknown): ExecutionSummary {
	return {
		executionId: textOf(entry, 'id'),
		status: textOf(entry, 'status'),
		mode: textOf(entry, 'mode'),
	};
}

function list(value: unknown): unknown[] {
	return Array.isArray(value) ? value : [];
}

function recordOf(value: unknown): Record<string, unknown> {
	return isRecord(value) ? value : {};
}

function readNodeRun(run: unknown): NodeRun {
	if (!isRecord(run)) throw new Error('A node run is not an object');
	return {
		status: typeof run.executionStatus === 'string' ? run.executionStatus : 'unknown',
		startedAt: Number(run.startTime),
		outputs: list(recordOf(run.data).main).map((output) => list(output).map(readItem)),
		failure: readFailure(run.error),
		hints: list(run.hints).map((hint) => String(recordOf(hint).message)),
		metadata: recordOf(run.metadata),
	};
}

function readItem(item: unknown): OutputItem {
	const { json, binary, pairedItem } = recordOf(item);
	return {
		json: recordOf(json),
		binary: recordOf(binary),
		pairedItem: readPairedItem(pairedItem),
	};
}

function readPairedItem(paired: unknown): number | undefined {
	if (typeof paired === 'number') return paired;
	if (Array.isArray(paired)) return paired.length === 1 ? readPairedItem(paired[0]) : undefined;
	return isRecord(paired) && typeof paired.item === 'number' ? paired.item : undefined;
}

function readFailure(error: unknown): NodeFailure | undefined {
	if (!isRecord(error)) return undefined;
	return {
		message: typeof error.message === 'string' ? error.message : JSON.stringify(error),
		description: typeof error.description === 'string' ? error.description : undefined,
	};
}
