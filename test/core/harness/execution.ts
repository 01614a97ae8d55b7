import { stringify } from 'flatted';
import {
	Workflow,
	type ExecutionError,
	type ExecutionStatus,
	type IDataObject,
	type INodeExecutionData,
	type INodeTypes,
	type IRun,
	type IRunExecutionData,
	type ITaskMetadata,
	type IWorkflowBase,
	type IWorkflowExecuteAdditionalData,
	type NodeExecutionHint,
	type WorkflowExecuteMode,
} from 'n8n-workflow';
import {
	createAdditionalData,
	ExecutionLifecycleHooks,
	getAdditionalKeys,
	WorkflowExecute,
	type Surroundings,
} from './core-bridge';
import type { Executions } from './store';
import { sinkName } from './workflow-data';

/** One execution as it stands: finished, failed, canceled or waiting. */
export interface Run {
	executionId: string;
	/** The stored status: what a user sees in the list of executions. */
	status: ExecutionStatus;
	/** What the node returned, by output; the error output, if on, is the last. */
	outputs: INodeExecutionData[][];
	/** What the node behind each output received. Empty while the execution waits. */
	passedOn: INodeExecutionData[][];
	/** The values of the `probe` expression, by output and item. */
	probed: unknown[][];
	error: ExecutionError | undefined;
	waitTill: Date | undefined;
	/** Metadata of the node's run: what `setMetadata()` set. */
	metadata: ITaskMetadata;
	hints: NodeExecutionHint[];
	/** `$execution.resumeUrl` of this execution, signature included. */
	resumeUrl: string;
	execution: IRun;
}

export interface StartedRun {
	executionId: string;
	resumeUrl: string;
	/** Settles when the execution has ended or waits; it never rejects for an error of the node. */
	done: Promise<Run>;
	/** What "Stop execution" in n8n does. */
	abort(): void;
}

export interface Launch {
	executionId: string;
	nodeName: string;
	workflowData: IWorkflowBase;
	staticData: IDataObject;
	data: IRunExecutionData;
	mode: WorkflowExecuteMode;
	/** Whether the execution continues after waiting. */
	resumed: boolean;
	signal?: AbortSignal;
}

/** Executes workflows the way the server's `WorkflowRunner.runMainProcess` does. */
export class Executor {
	private readonly active = new Set<() => void>();

	constructor(
		private readonly nodeTypes: INodeTypes,
		private readonly store: Executions,
		private readonly surroundings: Surroundings,
	) {}

	/** Stops everything that is under way, as the end of the process would. */
	stopAll(): void {
		for (const cancel of this.active) cancel();
	}

	begin(beginning: Omit<Launch, 'executionId' | 'resumed'>): StartedRun {
		const executionId = this.store.create(beginning);
		return this.launch({ ...beginning, executionId, resumed: false });
	}

	launch(launch: Launch): StartedRun {
		const { executionId, workflowData, data, mode, resumed } = launch;
		const limit = (workflowData.settings?.executionTimeout ?? -1) * 1000;
		const workflow = createWorkflow(workflowData, this.nodeTypes, launch.staticData);
		const additionalData = createAdditionalData(this.surroundings, {
			executionId,
			workflowId: workflowData.id,
			getRunExecutionData: async (id) => this.store.read(id)?.data,
			...(workflowData.settings && { workflowSettings: workflowData.settings }),
			...(resumed && { restartExecutionId: executionId }),
			...(limit > 0 && { executionTimeoutTimestamp: Date.now() + limit }),
		});
		this.addSaving(additionalData, launch);
		const keys = getAdditionalKeys(additionalData, mode, data);
		const resumeUrl = String(keys.$resumeWebhookUrl);

		const execute = new WorkflowExecute(additionalData, mode, data);
		const execution = execute.processRunExecutionData(workflow);
		const cancel = (): void => execution.cancel();
		this.active.add(cancel);
		const stopTimer = limit > 0 ? setTimeout(cancel, limit) : undefined;
		launch.signal?.addEventListener('abort', cancel, { once: true });
		if (launch.signal?.aborted) cancel();
		const done = execution.then((run) => {
			clearTimeout(stopTimer);
			this.active.delete(cancel);
			launch.signal?.removeEventListener('abort', cancel);
			return this.describe(launch, run, resumeUrl);
		});
		return { executionId, resumeUrl, done, abort: cancel };
	}

	/** The result of an execution, from what n8n-core returned and what was stored. */
	private describe(launch: Launch, run: IRun, resumeUrl: string): Run {
		const { runData, error } = run.data.resultData;
		const task = runData[launch.nodeName]?.at(-1);
		const readSink = (task_: number, output: number): INodeExecutionData[] =>
			(runData[sinkName(output)] ?? []).flatMap((sink) => sink.data?.['main']?.[task_] ?? []);
		const outputs = (task?.data?.['main'] ?? []).map((items) => items ?? []);
		const sinks = launch.workflowData.nodes.filter(({ id }) => id.startsWith('sink-'));
		return {
			executionId: launch.executionId,
			status: this.store.statusOf(launch.executionId) ?? run.status,
			outputs,
			passedOn: sinks.map((_, output) => readSink(0, output)),
			probed: sinks.map((_, output) => readSink(1, output).map(({ json }) => json.value)),
			error,
			waitTill: run.waitTill ?? undefined,
			metadata: task?.metadata ?? {},
			hints: task?.hints ?? [],
			resumeUrl,
			execution: run,
		};
	}

	/** The lifecycle hook that stores the end of an execution (`hookFunctionsSave` in the server). */
	private addSaving(additionalData: IWorkflowExecuteAdditionalData, launch: Launch): void {
		const { executionId, workflowData, mode } = launch;
		const hooks = new ExecutionLifecycleHooks(mode, executionId, workflowData);
		hooks.addHandler('workflowExecuteAfter', async (run, staticData: IDataObject | undefined) => {
			if (mode !== 'manual' && staticData) this.store.saveStaticData(workflowData.id, staticData);
			await this.store.finish(executionId, {
				status: readFinalStatus(run),
				finished: run.finished === true,
				waitTill: run.waitTill ?? undefined,
				data: stringify(run.data),
			});
		});
		additionalData.hooks = hooks;
	}
}

export function createWorkflow(
	workflowData: IWorkflowBase,
	nodeTypes: INodeTypes,
	staticData: IDataObject,
): Workflow {
	const { settings = {} } = workflowData;
	return new Workflow({ ...workflowData, nodeTypes, staticData, settings });
}

function readFinalStatus(run: IRun): ExecutionStatus {
	if (run.waitTill) return 'waiting';
	if (run.status === 'canceled' || run.status === 'crashed') return run.status;
	return run.data.resultData.error || run.status === 'error' ? 'error' : 'success';
}
