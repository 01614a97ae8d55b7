import {
	NodeConnectionTypes,
	NodeOperationError,
	type ICredentialType,
	type IDataObject,
	type IExecuteFunctions,
	type IHookFunctions,
	type IHttpRequestOptions,
	type ILoadOptionsFunctions,
	type INodeExecutionData,
	type INodeListSearchResult,
	type INodeType,
	type INodeTypeDescription,
	type IPollFunctions,
	type IWebhookFunctions,
	type IWebhookResponseData,
	type ResourceMapperFields,
} from 'n8n-workflow';

import { responseOf } from '../../../nodes/BrowserAutomation/execution/webhook';

/* Small nodes that use one ability of n8n each. The tests of the harness run them. */

export const ACTION = 'n8n-nodes-example.action';
export const TRIGGER = 'n8n-nodes-example.trigger';
export const POLLER = 'n8n-nodes-example.poller';

export const exampleApi: ICredentialType = {
	name: 'exampleApi',
	displayName: 'Example API',
	properties: [
		{ displayName: 'Base URL', name: 'baseUrl', type: 'string', default: 'https://api.test' },
		{ displayName: 'Key', name: 'apiKey', type: 'string', default: '' },
	],
	authenticate: {
		type: 'generic',
		properties: { headers: { Authorization: '=Bearer {{ $credentials.apiKey }}' } },
	},
};

/** The same, authenticating with a function. */
export const exampleFunctionApi: ICredentialType = {
	...exampleApi,
	name: 'exampleFunctionApi',
	authenticate: async (credentials, request) => {
		return { ...request, headers: { ...request.headers, 'x-key': credentials['apiKey'] } };
	},
};

const frame: Pick<INodeTypeDescription, 'group' | 'version' | 'description' | 'defaults'> = {
	group: ['transform'],
	version: 1,
	description: 'Does an example',
	defaults: { name: 'Example' },
};

type Items = INodeExecutionData[][];

/** Does what its parameter `operation` names; each is one function below. */
export class ExampleAction implements INodeType {
	description: INodeTypeDescription = {
		...frame,
		name: 'action',
		displayName: 'Example',
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		usableAsTool: true,
		credentials: [{ name: 'exampleApi', required: true }, { name: 'exampleFunctionApi' }],
		webhooks: [
			{ name: 'default', httpMethod: 'POST', path: '', restartWebhook: true, responseData: '' },
		],
		properties: [
			{ displayName: 'Operation', name: 'operation', type: 'string', default: '' },
			{ displayName: 'Path', name: 'path', type: 'string', default: '' },
			{ displayName: 'Mapped', name: 'mapped', type: 'string', default: '' },
		],
	};

	methods = {
		listSearch: {
			async searchThings(
				this: ILoadOptionsFunctions,
				filter?: string,
				paginationToken?: string,
			): Promise<INodeListSearchResult> {
				const { apiKey } = await this.getCredentials('exampleApi');
				const name = `${String(this.getCurrentNodeParameter('path'))} ${filter} ${String(apiKey)}`;
				return { results: [{ name, value: '1' }], paginationToken: `after ${paginationToken}` };
			},
		},
		resourceMapping: {
			async getFields(this: ILoadOptionsFunctions): Promise<ResourceMapperFields> {
				const field = {
					displayName: String(this.getNodeParameter('path')),
					required: false,
					defaultMatch: false,
					display: true,
				};
				return {
					fields: [
						{ ...field, id: 'a' },
						{ ...field, id: 'a' },
						{ ...field, id: 'b' },
					],
				};
			},
		},
	};

	async execute(this: IExecuteFunctions): Promise<Items> {
		const operation = String(this.getNodeParameter('operation', 0));
		const run = operations[operation];
		if (run === undefined) throw new NodeOperationError(this.getNode(), `No "${operation}"`);
		return await run(this);
	}

	async webhook(this: IWebhookFunctions): Promise<IWebhookResponseData> {
		const { say }: { say?: string } = this.getBodyData() ?? {};
		if (say === 'throw') throw new Error('Broken webhook');
		if (say === 'busy') {
			responseOf(this).status(503).json({ retry: true });
			return { noWebhookResponse: true };
		}
		if (say === 'split') {
			return { workflowData: [[{ json: { good: true } }], [{ json: { good: false } }]] };
		}
		if (say === 'fail') failOnResume(this, 'The service failed');
		if (say !== 'done' && say !== 'fail') return { webhookResponse: { heard: say ?? null } };
		await new Promise(setImmediate);
		const input: unknown = this.evaluateExpression('{{ $input.all().map((i) => i.json) }}');
		const items = Array.isArray(input) ? input : [];
		return {
			webhookResponse: { accepted: true },
			workflowData: [items.map((json: IDataObject) => ({ json: { ...json, say } }))],
		};
	}
}

/** Makes the node fail when it resumes: n8n-core honours `resumeError` in the metadata of its entry. */
function failOnResume(context: object, message: string): void {
	if (!('executeData' in context)) throw new Error('This n8n does not show the execution data.');
	const entry: { metadata?: object } = Object(context.executeData);
	entry.metadata = { ...entry.metadata, resumeError: { name: 'NodeOperationError', message } };
}

const operations: Record<string, (context: IExecuteFunctions) => Promise<Items>> = {
	/** One request per item; with `continueOnFail` an error item, else the node fails. */
	async get(context) {
		const out: INodeExecutionData[] = [];
		for (const [item] of context.getInputData().entries()) {
			try {
				out.push({ json: await request(context, item), pairedItem: { item } });
			} catch {
				const error = new NodeOperationError(context.getNode(), 'It broke', { itemIndex: item });
				if (!context.continueOnFail()) throw error;
				out.push({ json: { error: error.message }, pairedItem: { item } });
			}
		}
		return [out];
	},

	/** Waits for a callback, at most an hour. */
	async wait(context) {
		const resumeUrl = String(context.evaluateExpression('{{ $execution.resumeUrl }}', 0));
		context.setMetadata({ resumeUrl });
		context.addExecutionHints({ message: 'Waiting', location: 'outputPane' });
		await context.putExecutionToWait(new Date(Date.now() + 3_600_000));
		return [[...context.getInputData()]];
	},

	/** Works until it is canceled. */
	async hang(context) {
		await new Promise<void>((resolve) => {
			context.getExecutionCancelSignal()?.addEventListener('abort', () => resolve());
		});
		throw new NodeOperationError(context.getNode(), 'Stopped while working');
	},

	/** Streams a file into n8n's storage. */
	async download(context) {
		const response = await request(context, 0, { encoding: 'stream' });
		const binary = await context.helpers.prepareBinaryData(
			Object(response),
			'file.bin',
			'application/octet-stream',
		);
		return [[{ json: {}, binary: { data: binary } }]];
	},

	/** Reads the file of the input item. */
	async upload(context) {
		const buffer = await context.helpers.getBinaryDataBuffer(0, 'data');
		return [[{ json: { text: buffer.toString() } }]];
	},

	/** Says how it is run. */
	async describe(context) {
		const json = {
			isTool: context.isToolExecution(),
			mapped: context.getNodeParameter('mapped', 0),
		};
		return [[{ json }]];
	},

	/** Counts in the static data of the workflow. */
	async count(context) {
		const data = context.getWorkflowStaticData('global');
		data['count'] = Number(data['count'] ?? 0) + 1;
		return [[{ json: { count: data['count'] } }]];
	},
};

async function request(
	context: IExecuteFunctions,
	item: number,
	options: Partial<IHttpRequestOptions> = {},
): Promise<IDataObject> {
	const credential = context.getNode().credentials?.['exampleFunctionApi']
		? 'exampleFunctionApi'
		: 'exampleApi';
	const { baseUrl } = await context.getCredentials(credential);
	const url = `${String(baseUrl)}${String(context.getNodeParameter('path', item))}`;
	return await context.helpers.httpRequestWithAuthentication.call(context, credential, {
		url,
		...options,
	});
}

/** Registers its URL with a service and starts the workflow for bodies with `start`. */
export class ExampleTrigger implements INodeType {
	description: INodeTypeDescription = {
		...frame,
		name: 'trigger',
		displayName: 'Example Trigger',
		inputs: [],
		outputs: [NodeConnectionTypes.Main],
		webhooks: [{ name: 'default', httpMethod: 'POST', path: 'events', responseData: '' }],
		properties: [{ displayName: 'Fail', name: 'fail', type: 'boolean', default: false }],
	};

	webhookMethods = {
		default: {
			async checkExists(this: IHookFunctions): Promise<boolean> {
				return this.getWorkflowStaticData('node')['url'] === this.getNodeWebhookUrl('default');
			},
			async create(this: IHookFunctions): Promise<boolean> {
				this.getWorkflowStaticData('node')['url'] = this.getNodeWebhookUrl('default');
				this.getWorkflowStaticData('global')['activation'] = this.getActivationMode();
				if (this.getNodeParameter('fail')) throw new Error('The service said no');
				return true;
			},
			async delete(this: IHookFunctions): Promise<boolean> {
				delete this.getWorkflowStaticData('node')['url'];
				return true;
			},
		},
	};

	async webhook(this: IWebhookFunctions): Promise<IWebhookResponseData> {
		const { start }: { start?: boolean } = this.getBodyData() ?? {};
		if (start !== true) return {};
		const data = this.getWorkflowStaticData('node');
		data['calls'] = Number(data['calls'] ?? 0) + 1;
		const { rawBody }: { rawBody: Buffer } = this.getRequestObject();
		const raw = rawBody.toString();
		return { workflowData: [[{ json: { calls: data['calls'], raw } }]] };
	}
}

/** Brings a number, higher at each poll, and nothing at every second. */
export class ExamplePoller implements INodeType {
	description: INodeTypeDescription = {
		...frame,
		name: 'poller',
		displayName: 'Example Poller',
		polling: true,
		inputs: [],
		outputs: [NodeConnectionTypes.Main],
		properties: [{ displayName: 'Empty', name: 'empty', type: 'boolean', default: false }],
	};

	async poll(this: IPollFunctions): Promise<Items | null> {
		const data = this.getWorkflowStaticData('node');
		data['last'] = Number(data['last'] ?? 0) + 1;
		if (this.getNodeParameter('empty')) return null;
		return [[{ json: { number: data['last'], mode: this.getMode() } }]];
	}
}
