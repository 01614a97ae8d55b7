import { timingSafeEqual } from 'node:crypto';
import type { INodeTypes } from 'n8n-workflow';
import { createAdditionalData, WAITING_TOKEN_QUERY_PARAM, type Surroundings } from './core-bridge';
import { createWorkflow, type Executor, type StartedRun } from './execution';
import {
	CapturedResponse,
	HttpError,
	IncomingRequest,
	type OutsideRequest,
	type WebhookResponse,
} from './http-exchange';
import type { Executions } from './store';
import { answerWebhook, getNodeWebhooks, sendError } from './webhook-call';

/** What came of a request to the resume URL of an execution. */
export interface Callback {
	response: WebhookResponse;
	/** The execution that was resumed; `undefined` if the request did not resume it. */
	resumed: StartedRun | undefined;
}

/** How long n8n takes before and after a handler of a request to a resume URL. */
export interface Pace {
	/** From reading the execution to calling `webhook()`. */
	beforeHandler(): Promise<void>;
	/** Before and after reading the execution once more, for `webhook()`. */
	aroundRead?(): Promise<void>;
	/** From the return of `webhook()` to claiming the execution. */
	beforeClaim(): Promise<void>;
}

export const AT_ONCE: Readonly<Pace> = {
	beforeHandler: async () => undefined,
	beforeClaim: async () => undefined,
};

/**
 * Resumes waiting executions: by a request, as the server's `WaitingWebhooks`, or at the time limit,
 * as its `WaitTracker`. Everything is read from the store.
 */
export class WaitingExecutions {
	constructor(
		private readonly nodeTypes: INodeTypes,
		private readonly store: Executions,
		private readonly surroundings: Surroundings,
		private readonly executor: Pick<Executor, 'launch'>,
		private readonly pace: Pace = AT_ONCE,
	) {}

	/** Answers a request to `/webhook-waiting/<execution>[/<suffix>]`. */
	async receive(url: string, outside: OutsideRequest): Promise<Callback> {
		const request = new IncomingRequest(url, outside);
		const response = new CapturedResponse();
		let resumed: StartedRun | undefined;
		try {
			const [executionId, suffix = '', ...rest] = readSegments(request.path);
			if (executionId === undefined || rest.length > 0) throw new HttpError(404, 'Not found');
			resumed = await this.answer(executionId, suffix, request, response);
		} catch (error) {
			sendError(response, error instanceof Error ? error : new Error(String(error)));
		}
		return { response: response.read(), resumed };
	}

	async resumeAtLimit(executionId: string): Promise<StartedRun> {
		const execution = this.store.read(executionId);
		if (execution?.status !== 'waiting' || execution.data === undefined) {
			throw new Error(`Execution ${executionId} does not wait: ${execution?.status ?? 'unknown'}`);
		}
		const { data } = execution;
		await this.pace.beforeClaim();
		if (!(await this.store.claim(executionId, data)))
			throw new Error('Execution is already resuming');
		const staticData = execution.workflowData.staticData ?? {};
		return this.executor.launch({ ...execution, data, staticData, resumed: true });
	}

	/** Runs an execution that failed or crashed once more, from where it stood when it was last stored. */
	retry(executionId: string): StartedRun {
		const before = this.store.read(executionId);
		if (before?.data === undefined || before.finished) {
			throw new Error(`Execution ${executionId} cannot be retried: ${before?.status ?? 'unknown'}`);
		}
		const { data, nodeName } = before;
		// As n8n 2.41 does, whatever the workflow is now; it stores no static data with an execution.
		const workflowData = { ...before.workflowData, active: false, activeVersionId: null };
		delete workflowData.staticData;
		const { lastNodeExecuted = '', runData } = data.resultData;
		delete data.resultData.error;
		if (runData[lastNodeExecuted]?.at(-1)?.error !== undefined) runData[lastNodeExecuted]?.pop();
		return this.executor.launch({
			executionId: this.store.create({ mode: 'retry', workflowData, nodeName, data }),
			nodeName,
			workflowData,
			staticData: {},
			data,
			mode: 'retry',
			resumed: false,
		});
	}

	private async answer(
		executionId: string,
		suffixOfPath: string,
		request: IncomingRequest,
		response: CapturedResponse,
	): Promise<StartedRun | undefined> {
		const execution = this.store.read(executionId);
		if (execution === undefined) {
			throw new HttpError(404, `The execution "${executionId}" does not exist.`);
		}
		const { data, mode, workflowData } = execution;
		if (data === undefined) {
			throw new Error("Cannot read properties of undefined (reading 'resumeToken')");
		}
		const { token, path } = readToken(request);
		if (!isSameToken(token, data.resumeToken)) {
			response.status(401).json({ error: 'Invalid token' });
			return undefined;
		}
		const suffix = suffixOfPath === '' ? path : suffixOfPath;
		if (execution.status === 'running') {
			throw new HttpError(409, `The execution "${executionId}" is running already.`);
		}
		if (data.resultData.error) {
			throw new HttpError(409, `The execution "${executionId}" has finished with error.`);
		}
		if (execution.finished) {
			throw new HttpError(409, `The execution "${executionId} has finished already.`);
		}

		const entry = data.executionData?.nodeExecutionStack[0];
		const lastNode = data.resultData.lastNodeExecuted ?? '';
		if (entry === undefined) throw new Error('The execution has nothing left to execute.');
		entry.node.disabled = true;
		delete data.waitTill;
		data.resultData.runData[lastNode]?.pop();

		const staticData = workflowData.staticData ?? {};
		const workflow = createWorkflow(workflowData, this.nodeTypes, staticData);
		const node = workflow.getNode(lastNode);
		if (node === null) throw new HttpError(404, 'Could not find node to process webhook.');
		const additionalData = createAdditionalData(this.surroundings, {
			workflowId: workflow.id,
			executionId,
			getRunExecutionData: async (id) => {
				await this.pace.aroundRead?.();
				const stored = this.store.read(id)?.data;
				await this.pace.aroundRead?.();
				return stored;
			},
		});
		const webhook = getNodeWebhooks(workflow, node, additionalData).find(
			(candidate) =>
				candidate.httpMethod === request.method &&
				candidate.path === suffix &&
				candidate.webhookDescription.restartWebhook === true,
		);
		if (webhook === undefined) {
			throw new HttpError(
				404,
				`The workflow for execution "${executionId}" does not contain a waiting webhook with a matching path/method.`,
			);
		}

		await this.pace.beforeHandler();
		let resumed: StartedRun | undefined;
		await answerWebhook({
			workflow,
			node,
			webhook,
			additionalData,
			mode,
			data,
			request,
			response,
			beforeResponse: () => undefined,
			proceed: async (items) => {
				entry.data['main'] = items;
				entry.metadata = { ...entry.metadata, forwardAllOutputs: true };
				await this.pace.beforeClaim();
				if (!(await this.store.claim(executionId, data))) {
					throw new Error(`Execution ${executionId} is already resuming`);
				}
				const staticData = this.store.readStaticData(workflow.id);
				const own = { executionId, nodeName: execution.nodeName, workflowData, data, mode };
				resumed = this.executor.launch({ ...own, staticData, resumed: true });
			},
		});
		return resumed;
	}
}

function readSegments(path: string): string[] {
	const [, start, ...segments] = path.split('/').map(decodeURIComponent);
	if (start !== 'webhook-waiting') throw new HttpError(404, 'Not found');
	return segments.filter((segment) => segment !== '');
}

/** The signature of the request; a path may follow it after a slash. */
function readToken({ query }: IncomingRequest): { token: string; path: string } {
	const [token = '', ...path] = String(query[WAITING_TOKEN_QUERY_PARAM] ?? '').split('/');
	return { token, path: path.join('/') };
}

function isSameToken(token: string, expected: string | undefined): boolean {
	if (expected === undefined || token.length !== expected.length) return false;
	return timingSafeEqual(Buffer.from(token), Buffer.from(expected));
}
