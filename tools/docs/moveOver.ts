/**
 * Puts this package's nodes in the place of BrowserAct's own, and of HTTP requests to its V2 API. What comes out of them and
 * their names stay, so that later nodes go on. This is the text of a Code node in examples/15-move-a-workflow-over.json, where
 * `npm run docs` writes it. So it imports nothing.
 */

interface WorkflowNode {
	name: string;
	type: string;
	parameters?: Parameters;
	[further: string]: unknown;
}

/** What users give BrowserAct's nodes, or an HTTP Request node. Any text may be an expression; moments are seconds. */
interface Parameters {
	operation?: string;
	workflowId?: string;
	templateId?: string;
	proxyRegion?: string;
	taskId?: string;
	timeout?: number | string;
	runMaxWaitTime?: number | string;
	maxWaitTime?: number | string;
	waitForFinish?: boolean;
	workflowConfig?: { value?: Record<string, unknown> | null; schema?: InputField[] };
	inputParameters?: { parameters?: Input[] };
	url?: string;
	queryParameters?: { parameters?: Input[] };
	bodyParameters?: { parameters?: Input[] };
	jsonBody?: string;
}

/** The ID is `input-` and the name of the input. */
interface InputField {
	id: string;
	required?: boolean;
}

interface Input {
	name: string;
	value?: unknown;
	required?: boolean | undefined;
}

/** What the other nodes of the workflow do with a run. */
interface Uses {
	/** A node of the older package waits for it. */
	isAwaited: boolean;
	/** HTTP requests ask for it until it has ended. */
	isAskedFor: boolean;
	/** What makes the workflow go on when it pauses, where a node looks for that. */
	whenPaused: object;
}

const OLDER = 'n8n-nodes-browseract-workflows.browserAct';
const HTTP = 'n8n-nodes-base.httpRequest';

/** @returns the workflow as JSON, to be pasted into n8n, and what is left to do */
export function moveOver(text: string): { workflow: string; todo: string[] } {
	const workflow = readWorkflow(text);
	if (workflow === undefined) {
		const todo =
			'This is no workflow. Select its nodes (Ctrl+A), copy them (Ctrl+C), paste them here.';
		return { workflow: '', todo: [todo] };
	}
	const pausing = namesOf(workflow.nodes, /["'`]paused\b/);
	const uses = {
		isAwaited: namesOf(workflow.nodes, /"getTask"/) !== '',
		isAskedFor: namesOf(workflow.nodes, /\/v2\/workflow\/get-task/) !== '',
		whenPaused: pausing === '' ? {} : { whenPaused: 'continue' },
	};
	const moved: WorkflowNode[] = [];
	const kept: WorkflowNode[] = [];
	const nodes = workflow.nodes.map((node) => {
		const parameters = replacement(node, uses);
		(parameters === undefined ? kept : moved).push(node);
		if (parameters === undefined) return node;
		return {
			...node,
			type: 'n8n-nodes-browser-automation.browserAutomation',
			typeVersion: 1.1,
			parameters,
			credentials: { browserAutomationApi: { id: '', name: 'Browser Automation account' } },
		};
	});
	const byHand = namesOf(kept, /n8n-nodes-browseract|browserActApi|api\.browseract\.com/);
	if (moved.length === 0) {
		return { workflow: '', todo: [`No node could be replaced. By hand: ${byHand || 'none'}.`] };
	}
	const lists = [
		['Choose your credential, if it is not called "Browser Automation account"', namesOf(moved)],
		['Replace by hand', byHand],
		[
			'What starts a run here waits for its end, so a loop that asks for it can go',
			uses.isAskedFor ? namesOf(moved, /\/v2\/workflow\/run-task/) : '',
		],
		["'When a Run Pauses' is 'Continue the Workflow', as this looks for paused runs", pausing],
		['Nothing to do: this reads the status, which is still there', namesOf(kept, /json\.status\b/)],
	];
	const todo = lists
		.filter(([, names]) => names !== '')
		.map(([what, names]) => `${what}: ${names}.`);
	return { workflow: JSON.stringify({ ...workflow, nodes }, null, 2), todo };
}

function readWorkflow(text: string): { nodes: WorkflowNode[] } | undefined {
	try {
		const workflow: { nodes?: WorkflowNode[] } = Object(JSON.parse(text));
		return Array.isArray(workflow.nodes) ? { ...workflow, nodes: workflow.nodes } : undefined;
	} catch {
		return undefined;
	}
}

/** The names of the nodes that say something, without notes. */
function namesOf(nodes: WorkflowNode[], pattern = /^/): string {
	const found = nodes.filter((node) => pattern.test(JSON.stringify(node)));
	const named = found.filter(({ type }) => !type.endsWith('.stickyNote'));
	return named.map(({ name }) => `"${name}"`).join(', ');
}

/** The parameters of the node that comes in place of this one; undefined where this one stays. */
function replacement({ type, parameters = {} }: WorkflowNode, uses: Uses): object | undefined {
	if (type === 'n8n-nodes-browseract.browserAct') return ofOwnNode(parameters, uses);
	if (type === OLDER) return ofOlderNode(parameters, uses);
	return type === HTTP ? ofHttpRequest(parameters, uses) : undefined;
}

/** BrowserAct's node waits an hour unless told otherwise, cancels at the limit, and gives each run however it ended. */
function ofOwnNode(given: Parameters, { whenPaused }: Uses): object | undefined {
	const { timeout = 3600, workflowId, templateId, proxyRegion, workflowConfig } = given;
	const { schema = [], value } = workflowConfig ?? {};
	const inputFields = formOf(
		schema.map(({ id, required }) => ({
			name: id.replace(/^input-/, ''),
			value: value?.[id],
			required,
		})),
	);
	const subject =
		templateId === undefined
			? workflowOf(workflowId)
			: { resource: 'workflowTemplate', templateId: byId(templateId), options: { proxyRegion } };
	if (subject === undefined || inputFields === undefined) return undefined;
	return {
		...subject,
		operation: 'run',
		inputFields,
		output: 'raw',
		waiting: { ...limitOf(timeout), atWaitLimit: 'continue', ...whenPaused },
		outputOptions: { failedAsOutput: true },
		limits: { cancelRunsWhen: ['stop', 'limit'] },
	};
}

/** A node of the older package starts a run, for which another one of it may wait. */
function ofOlderNode(given: Parameters, { isAwaited, whenPaused }: Uses): object | undefined {
	const { operation, taskId, maxWaitTime, runMaxWaitTime, waitForFinish = false } = given;
	const waiting = { ...limitOf(maxWaitTime ?? runMaxWaitTime), ...whenPaused };
	if (operation === 'getTask' && taskId !== undefined) {
		const task = { resource: 'task', taskId: byId(taskId), output: 'raw' };
		return waitForFinish ? { ...task, operation: 'wait', waiting } : { ...task, operation: 'get' };
	}
	const subject = workflowOf(given.workflowId);
	const inputFields = formOf(given.inputParameters?.parameters);
	if (subject === undefined || inputFields === undefined) return undefined;
	const result = isAwaited ? { waitForCompletion: 'none' } : { output: 'raw', waiting };
	return { ...subject, operation: 'run', inputFields, ...result };
}

/** A request to the V2 API that gives its answer as it is. What starts a run waits for it, too, where it is asked for. */
function ofHttpRequest(given: Parameters, { isAskedFor }: Uses): object | undefined {
	const [, name, query] = V2_REQUEST.exec(given.url ?? '') ?? [];
	if (name === undefined || JSON.stringify(given).includes('"fullResponse":true')) return undefined;
	if (name === 'get-task') {
		const { parameters = [] } = given.queryParameters ?? {};
		const taskId = query ?? parameters.find((one) => one.name.endsWith('task_id'))?.value;
		if (typeof taskId !== 'string') return undefined;
		return {
			resource: 'task',
			operation: 'get',
			taskId: byId(asExpression(taskId)),
			output: 'raw',
		};
	}
	const { workflow_id, input_parameters, ...others } = bodyOf(given);
	const subject = workflowOf(workflow_id);
	const inputFields = formOf(input_parameters);
	const isUnknown = name !== 'run-task' || Object.keys(others).length > 0;
	if (isUnknown || subject === undefined || inputFields === undefined) return undefined;
	const result = isAskedFor ? { output: 'raw' } : { waitForCompletion: 'none' };
	return { ...subject, operation: 'run', inputFields, ...result };
}

const V2_REQUEST = /^=?https:\/\/api\.browseract\.com\/v2\/workflow\/([\w-]+)(?:\?task_id=(.+))?$/;

/** The body of a request as far as it is JSON before its expressions are known. */
function bodyOf({ bodyParameters, jsonBody = '{}' }: Parameters): {
	workflow_id?: string;
	input_parameters?: Input[];
} {
	if (bodyParameters?.parameters !== undefined) {
		return Object.fromEntries(bodyParameters.parameters.map(({ name, value }) => [name, value]));
	}
	try {
		return Object(JSON.parse(jsonBody.replace(/^=/, '')));
	} catch {
		return {};
	}
}

function workflowOf(workflowId: string | undefined): object | undefined {
	if (typeof workflowId !== 'string' || workflowId === '') return undefined;
	return { resource: 'workflow', workflowId: byId(workflowId) };
}

function byId(value: string): object {
	return { __rl: true, mode: 'id', value };
}

/** The form, filled in; undefined where it cannot have the inputs: a name comes twice, or is an expression. */
function formOf(inputs: Input[] = []): object | undefined {
	if (!Array.isArray(inputs)) return undefined;
	const names = inputs.map(({ name }) => name);
	if (new Set(names).size < names.length || names.some((name) => name.startsWith('=')))
		return undefined;
	const value = Object.fromEntries(inputs.map((input) => [input.name, valueOf(input)]));
	const schema = inputs.map(({ name, required = false }) => ({
		...{
			id: name,
			displayName: name,
			type: 'string',
			required,
			display: true,
			defaultMatch: false,
		},
		removed: !required && value[name] === '',
	}));
	return { mappingMode: 'defineBelow', value, schema, convertFieldsToString: true };
}

/** As BrowserAct's node sends it: without spaces around it. */
function valueOf({ value = '' }: Input): string {
	const text = asExpression(typeof value === 'string' ? value : JSON.stringify(value));
	return text.startsWith('=') ? `=${text.slice(1).trim()}` : text.trim();
}

function asExpression(text: string): string {
	return text.includes('{{') && !text.startsWith('=') ? `=${text}` : text;
}

/** Seconds, or an expression of them, as hours. */
function limitOf(seconds: number | string | undefined): object {
	const text = String(seconds ?? '')
		.replace(/^=/, '')
		.trim();
	const [, expression] = /^\{\{([^]+)\}\}$/.exec(text) ?? [];
	if (expression !== undefined) return { waitLimit: `={{ (${expression.trim()}) / 3600 }}` };
	const hours = Number(text) / 3600;
	return hours > 0 ? { waitLimit: Number(hours.toFixed(4)) } : {};
}
