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
	type NodeHint,
} from 'n8n-workflow';

import { execute } from './execution/router';
import {
	PAUSED_MARK,
	PROGRESS_KEY,
	STATUS_PAGE_PATH,
	STATUS_PAGE_WEBHOOK,
} from './execution/waiting/statusPage';
import { handleRequest } from './execution/waiting/handleRequest';
import { RESUME_PATH } from './execution/waiting/platform';
import { NODE_VERSION } from './execution/webhook';
import { editorMethods } from './methods';
import {
	catalogue,
	catalogueProperties,
	catalogueSubtitle,
	toCredentials,
} from './resources/catalogue';

const RESUMES = { responseMode: 'onReceived', responseData: '', restartWebhook: true } as const;

/** The addresses that resume a suspended execution and show its status page. */
const resumeWebhooks: IWebhookDescription[] = [
	{ ...RESUMES, name: 'default', httpMethod: 'POST', path: RESUME_PATH },
	{ ...RESUMES, name: STATUS_PAGE_WEBHOOK, httpMethod: 'GET,POST', path: STATUS_PAGE_PATH },
];

/** Shown while the execution sleeps. n8n before 2.14 knows neither the status page nor whether a run is paused: a hint leads there. */
const WAITING_TEXT = [
	`={{ ($execution.resumeUrl.includes("${PAUSED_MARK}")`,
	' ? "<strong>Paused: a person is needed.</strong> "',
	' : "The bot is working. This continues by itself. ")',
	` + decodeURIComponent($execution.resumeUrl.split("&${PROGRESS_KEY}=")[1] ?? "").replaceAll("+", " ")`,
	` + ($execution.resumeUrl.includes("/${STATUS_PAGE_PATH}?")`,
	' ? ` <a href="${$execution.resumeUrl}" target="_blank">Open the status page</a> to watch, resume or cancel; stopping`',
	' : "Or it is paused: open the status page, at the top of this node’s output. Stopping")',
	' + " this execution does not stop the bot." }}',
].join('');

/** Before the first run, of what n8n lets a condition know: the node's parameters, and whether the workflow is active. */
const HINTS: NodeHint[] = [
	{
		message:
			"'Also Notify': no trigger of this workflow hears of runs until you add a Browser Automation Trigger and publish (activate) the workflow, or the trigger listens for a test event.",
		type: 'warning',
		location: 'outputPane',
		whenToDisplay: 'beforeExecution',
		displayCondition: '={{ $parameter["notify"] === "trigger" && !$workflow.active }}',
	},
];

/** For n8n's assistants that write workflows: they see the list of bots, but no bot's form. */
const BOT_RUN_EXAMPLE = `<patterns>
botId: choose from the list that searchBots gives, and keep its ID as text.
The input is JSON, by the input_schema that Bot > Get gives.
{
  resource: 'bot', operation: 'run',
  botId: { __rl: true, mode: 'id', value: '76520131497525' },
  inputMode: 'json', input: { keyword: 'laptop', max_results: 20 },
  waitForCompletion: 'automatic', output: 'rows',
  files: { downloadFiles: ['csv'] }, waiting: { waitLimit: 1 }
}
One item for each row. Other outputs: simplified, where the task_id, status or live view is
used next; selected, with fieldNames, for an AI agent.
</patterns>`;

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
		version: NODE_VERSION,
		subtitle: catalogueSubtitle(catalogue),
		description: 'Run browser bots that scrape and act on websites, and get their rows and files',
		defaults: { name: 'Browser Automation' },
		usableAsTool: true,
		builderHint: {
			searchHint:
				'To run a bot and use its result, one node is enough: Bot > Run starts it, sleeps until it is done and gives its rows. Never build a loop with Wait and If that asks for the status. Runs started elsewhere: Run > Wait for Completion, or the trigger.',
			extraTypeDefContent: [
				{
					displayOptions: { show: { resource: ['bot'], operation: ['run'] } },
					content: BOT_RUN_EXAMPLE,
				},
			],
			relatedNodes: [
				{
					nodeType: 'n8n-nodes-browser-automation.browserAutomationTrigger',
					relationHint: 'Starts a workflow when a run that was started elsewhere ends',
				},
			],
		},
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		credentials: toCredentials(catalogue),
		webhooks: resumeWebhooks,
		hints: HINTS,
		waitingNodeTooltip: WAITING_TEXT,
		properties: catalogueProperties(catalogue),
	};

	methods = editorMethods;

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		const resource = this.getNodeParameter('resource', 0);
		const name = this.getNodeParameter('operation', 0);
		const operation = catalogue
			.find(({ value }) => value === resource)
			?.operations.find(({ value }) => value === name);
		if (operation === undefined) {
			throw new NodeOperationError(
				this.getNode(),
				`The operation ${resource} > ${name} does not exist`,
				{ description: 'Choose the resource and the operation again from their lists.' },
			);
		}
		return await execute(this, operation);
	}

	/** Called at the addresses of a suspended execution: by the service, by people, and by this package itself. */
	async webhook(this: IWebhookFunctions): Promise<IWebhookResponseData> {
		return await handleRequest(this);
	}
}
