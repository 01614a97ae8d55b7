import {
	NodeConnectionTypes,
	type IExecuteFunctions,
	type IHookFunctions,
	type INodeExecutionData,
	type INodeType,
	type INodeTypeDescription,
	type ITriggerFunctions,
	type ITriggerResponse,
	type IWebhookDescription,
	type IWebhookFunctions,
	type IWebhookResponseData,
	type WebhookType,
} from 'n8n-workflow';

import { NODE_VERSION } from './execution/webhook';
import { COMPLETED_PATH, STATUS_PATH } from './fields/notify';
import { toProperties } from './fields/fieldBuilders';
import { CALLBACK_TRIGGER_FIELDS, EVENTS_SUBTITLE } from './fields/triggers';
import { editorMethods } from './methods';
import { passOn } from './triggers/eventItems';
import { keepChecking } from './triggers/openRuns';
import { receive } from './triggers/receive';
import { register, unregister } from './triggers/registration';

/** One of the two addresses that a run is given. */
function webhookAt(name: WebhookType, path: string): IWebhookDescription {
	return {
		name,
		httpMethod: 'POST',
		path,
		responseMode: 'onReceived',
		responseData: '',
		ndvHideUrl: '={{ $parameter["source"] === "own" }}',
	};
}

const WHILE_BUILDING =
	'<b>While building your workflow</b>, use the button above to listen for one event. If this trigger starts its own run, the run begins at once and you see its event as soon as it happens. Otherwise start a run that is given the test URLs above.<br /><br />';

/** Starts the workflow when the service calls back about a run. */
export class BrowserAutomationTrigger implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Browser Automation Trigger',
		name: 'browserAutomationTrigger',
		icon: {
			light: 'file:../../icons/browserAutomation.svg',
			dark: 'file:../../icons/browserAutomation.dark.svg',
		},
		group: ['trigger'],
		version: NODE_VERSION,
		subtitle: EVENTS_SUBTITLE,
		description:
			'Scrape websites with browser bots: run them and get rows, or start the workflow when a run ends or changes its status',
		eventTriggerDescription: 'Waiting for a run to end or to change its status',
		activationMessage:
			"Your trigger now receives the events of runs that notify it. Nodes of this workflow reach it with 'Also Notify' set to 'Trigger in This Workflow'.",
		triggerPanel: {
			header: 'Wait for an event of a run',
			executionsHelp: {
				inactive: `${WHILE_BUILDING}<b>Once you are happy with it</b>, publish (activate) the workflow. From then on every event starts it, and you find those executions in the <a data-key="executions">executions list</a>.`,
				active: `${WHILE_BUILDING}<b>Your workflow is published (active)</b>: every event of a run that notifies this trigger starts it, and you find those executions in the <a data-key="executions">executions list</a>.`,
			},
			activationHint:
				'Publish (activate) the workflow to receive events all the time. If the trigger starts its own run, that starts it.',
		},
		defaults: { name: 'Browser Automation Trigger' },
		inputs: [],
		outputs: [NodeConnectionTypes.Main],
		credentials: [{ name: 'browserAutomationApi', required: true, testedBy: 'testApiKey' }],
		webhooks: [webhookAt('default', COMPLETED_PATH), webhookAt('setup', STATUS_PATH)],
		properties: toProperties(CALLBACK_TRIGGER_FIELDS),
	};

	methods = editorMethods;

	/** Both webhooks stand for one registration, which the first of them keeps; `create` finds out itself what is there. */
	webhookMethods = {
		default: {
			checkExists: async () => false,
			async create(this: IHookFunctions): Promise<boolean> {
				return await register(this);
			},
			async delete(this: IHookFunctions): Promise<boolean> {
				return await unregister(this);
			},
		},
	};

	/** Called by the service for each event of a run that was given one of the two addresses. */
	async webhook(this: IWebhookFunctions): Promise<IWebhookResponseData> {
		return await receive(this);
	}

	/** Called when the workflow is published or n8n is started: from then on the trigger also checks its open runs by itself. */
	async trigger(this: ITriggerFunctions): Promise<ITriggerResponse> {
		return keepChecking(this);
	}

	/**
	 * Passes on what `webhook` gave, once among all processes of n8n, or fails with it. Without it, n8n would ask `trigger` for the event that the editor
	 * listens for (n8n-core 2.41.1: `executeTriggerNode` in execution-engine/workflow-execute.js).
	 */
	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		return [await passOn(this)];
	}
}
