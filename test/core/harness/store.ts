import { parse, stringify } from 'flatted';
import {
	ManualExecutionCancelledError,
	migrateRunExecutionData,
	type ExecutionStatus,
	type IDataObject,
	type IRunExecutionData,
	type IWorkflowBase,
	type WorkflowExecuteMode,
} from 'n8n-workflow';

/** What the database of an n8n holds about one execution, read back. */
export interface StoredExecution {
	executionId: string;
	status: ExecutionStatus;
	finished: boolean;
	mode: WorkflowExecuteMode;
	waitTill: Date | undefined;
	/** A fresh copy. `undefined` for an unfinished manual execution: n8n stores its data at the end. */
	data: IRunExecutionData | undefined;
	/** A fresh copy of the workflow as it was when the execution started. */
	workflowData: IWorkflowBase;
	nodeName: string;
}

interface Row extends Omit<StoredExecution, 'data' | 'workflowData'> {
	data: string | undefined;
	workflowData: string;
}

/** Where executions are kept. Writing may take time. */
export interface Executions extends Pick<
	ExecutionStore,
	'create' | 'read' | 'readStaticData' | 'saveStaticData' | 'statusOf'
> {
	claim(...taken: Parameters<ExecutionStore['claim']>): boolean | Promise<boolean>;
	finish(...end: Parameters<ExecutionStore['finish']>): void | Promise<void>;
}

/** A waiting execution as in n8n's database: its data serialised with flatted, its workflow JSON. */
export interface WaitingRow extends Pick<StoredExecution, 'executionId' | 'mode' | 'nodeName'> {
	data: string;
	workflowData: object;
}

type NewExecution = Pick<StoredExecution, 'mode' | 'workflowData' | 'nodeName' | 'data'>;

/** How many executions this process has made: modules remember them by their IDs, whichever store holds them. */
let created = 0;

/**
 * The executions and the static data of workflows as n8n's database keeps them: execution data goes
 * through flatted, the rest through JSON, so nothing that is only in memory survives.
 */
export class ExecutionStore {
	private readonly rows = new Map<string, Row>();
	private readonly staticData = new Map<string, string>();

	create({ mode, workflowData, nodeName, data }: NewExecution): string {
		const executionId = String(++created);
		const kept = mode === 'manual' ? undefined : stringify(data);
		this.add('running', { executionId, mode, nodeName, data: kept, workflowData });
		return executionId;
	}

	/** Takes over a waiting execution as another n8n's database holds it. */
	take(row: WaitingRow): void {
		this.add('waiting', row);
	}

	private add(status: ExecutionStatus, row: Omit<WaitingRow, 'data'> & Pick<Row, 'data'>): void {
		this.rows.set(row.executionId, {
			...row,
			...{ status, finished: false, waitTill: undefined },
			workflowData: JSON.stringify(row.workflowData),
		});
	}

	read(executionId: string): StoredExecution | undefined {
		const row = this.rows.get(executionId);
		if (row === undefined) return undefined;
		return {
			...row,
			data: row.data === undefined ? undefined : migrateRunExecutionData(parse(row.data)),
			workflowData: JSON.parse(row.workflowData),
		};
	}

	statusOf(executionId: string): ExecutionStatus | undefined {
		return this.rows.get(executionId)?.status;
	}

	/** The executions that wait, with the date at which n8n's wait timer is to resume them. */
	waiting(): Array<Pick<StoredExecution, 'executionId' | 'waitTill'>> {
		return [...this.rows.values()].filter(({ status }) => status === 'waiting');
	}

	/** Takes a waiting execution over for resuming; `false` when somebody else already did. */
	claim(executionId: string, data: IRunExecutionData): boolean {
		const row = this.rows.get(executionId);
		if (row?.status !== 'waiting') return false;
		row.status = 'running';
		row.waitTill = undefined;
		row.data = stringify(data);
		return true;
	}

	/** Writes the end (or the pause) of a running execution; a canceled or crashed one stays so. */
	finish(executionId: string, end: Pick<Row, 'status' | 'finished' | 'waitTill' | 'data'>): void {
		const row = this.rows.get(executionId);
		if (row?.status === 'running') Object.assign(row, end);
	}

	/**
	 * Deletes an execution, or stops a waiting one: n8n adds an error, and leaves the rest of its data. Or n8n has died between its two
	 * writes of a suspension, as it saves progress: before it put the node's entry back on the stack.
	 */
	end(executionId: string, how: 'deleted' | 'stopped' | 'half stored'): void {
		const { data } = this.read(executionId) ?? {};
		const row = this.rows.get(executionId);
		if (how === 'deleted') this.rows.delete(executionId);
		if (row === undefined || data === undefined) return;
		if (how === 'half stored') data.executionData?.nodeExecutionStack.shift();
		else data.resultData.error = new ManualExecutionCancelledError(executionId);
		const status = how === 'half stored' ? 'crashed' : 'canceled';
		Object.assign(row, { status, waitTill: undefined, data: stringify(data) });
	}

	/** What n8n does at its start with executions that were running when it died: all, or some. */
	markCrashed(wasRunning: (executionId: string) => boolean = () => true): void {
		for (const row of this.rows.values()) {
			if (row.status === 'running' && wasRunning(row.executionId)) row.status = 'crashed';
		}
	}

	readStaticData(workflowId: string): IDataObject {
		return JSON.parse(this.staticData.get(workflowId) ?? '{}');
	}

	saveStaticData(workflowId: string, data: IDataObject): void {
		this.staticData.set(workflowId, JSON.stringify(data));
	}
}
