import {
	NodeConnectionTypes,
	NodeOperationError,
	type IExecuteFunctions,
	type INodeExecutionData,
	type INodeType,
	type INodeTypeDescription,
	type IWebhookDescription,
	type IWebhookFunctions,
	type IWebhookResponseData,
} from 'n8n-workflow';

import { execute } from './execution/router';
import { resume } from './execution/waiting/resume';
import { WATCH_PATH } from './execution/waiting/watch';
import { testApiKey } from './methods/credentialTest';
import * as listSearch from './methods/listSearch';
import { getRegions } from './methods/loadOptions';
import { getInputFields } from './methods/resourceMapping';
import { catalogue } from './resources/catalogue';
import { toCredentials } from './resources/credentials';
import { findOperation, toProperties } from './resources/operation';

/** Where callbacks wake a sleeping execution, and where a person can look at its runs. */
const resumeWebhooks: IWebhookDescription[] = [
	{
		name: 'default',
		httpMethod: 'POST',
		path: '',
		responseMode: 'onReceived',
		responseData: '',
		restartWebhook: true,
	},
	{
		name: 'setup',
		httpMethod: 'GET',
		path: WATCH_PATH,
		responseMode: 'onReceived',
		responseData: '',
		restartWebhook: true,
	},
];

/** Shown while the execution sleeps. n8n before version 2 does not know where to watch. */
const SLEEPING =
	'={{ "The execution sleeps until the service reports that the run has ended." + ($execution.resumeUrl.includes("/watch") ? ` <a href="${$execution.resumeUrl}" target="_blank">Watch the run</a>` : "") }}';

/** The action node: every operation of the service. */
export class BrowserAutomation implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Browser Automation',
		name: 'browserAutomation',
		icon: {
			light: 'file:../../icons/browserAutomation.svg',
			dark: 'file:../../icons/browserAutomation.dark.svg',
		},
		group: ['transform'],
		version: 1,
		subtitle: '={{ $parameter["operation"] + ": " + $parameter["resource"] }}',
		description: 'Run browser bots that scrape and act on websites, and get their rows and files',
		defaults: { name: 'Browser Automation' },
		usableAsTool: true,
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		credentials: toCredentials(catalogue),
		webhooks: resumeWebhooks,
		waitingNodeTooltip: SLEEPING,
		properties: toProperties(catalogue),
	};

	methods = {
		credentialTest: { testApiKey },
		listSearch,
		loadOptions: { getRegions },
		resourceMapping: { getInputFields },
	};

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		const resource = this.getNodeParameter('resource', 0);
		const name = this.getNodeParameter('operation', 0);
		const operation = findOperation(catalogue, resource, name);
		if (operation === undefined) {
			throw new NodeOperationError(
				this.getNode(),
				`The operation ${resource} > ${name} does not exist`,
				{
					description: 'Choose the resource and the operation again from their lists.',
				},
			);
		}
		return await execute(this, operation);
	}

	/** Called by the service when a run of a sleeping execution ends. */
	async webhook(this: IWebhookFunctions): Promise<IWebhookResponseData> {
		return await resume(this);
	}
}
