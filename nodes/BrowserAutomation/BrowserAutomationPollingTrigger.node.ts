import {
	NodeConnectionTypes,
	type INodeExecutionData,
	type INodeType,
	type INodeTypeDescription,
	type IPollFunctions,
} from 'n8n-workflow';

import { toProperties } from './fields/fieldBuilders';
import { EVENTS_SUBTITLE, POLLING } from './fields/triggers';
import { editorMethods } from './methods';
import { poll } from './triggers/poll';

/** Starts the workflow with what has happened to runs since the last poll. */
export class BrowserAutomationPollingTrigger implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Browser Automation Polling Trigger',
		name: 'browserAutomationPollingTrigger',
		icon: {
			light: 'file:../../icons/browserAutomation.svg',
			dark: 'file:../../icons/browserAutomation.dark.svg',
		},
		group: ['trigger'],
		version: 1,
		subtitle: EVENTS_SUBTITLE,
		description:
			'Scrape websites with browser bots: finds runs that began, ended or changed status, wherever they started. Needs no public address.',
		eventTriggerDescription: 'Looking for the latest run that fits',
		activationMessage: 'Your trigger now checks for events of runs at the times you chose.',
		defaults: { name: 'Browser Automation Polling Trigger' },
		polling: true,
		inputs: [],
		outputs: [NodeConnectionTypes.Main],
		credentials: [{ name: 'browserAutomationApi', required: true, testedBy: 'testApiKey' }],
		properties: toProperties(POLLING.fields),
	};

	methods = editorMethods;

	async poll(this: IPollFunctions): Promise<INodeExecutionData[][] | null> {
		return await poll(this);
	}
}
