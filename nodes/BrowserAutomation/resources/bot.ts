import {
	request,
	BOT,
	BOT_FILTERS,
	botField,
	keywordFilter,
	list,
	operation,
	page,
	proxyRegionOption,
	resource,
	RUN_STARTS,
	startsRun,
	startsTask,
	TEMPLATE,
	templateField,
	V3_ALONE,
	WORKFLOW_OPTIONS,
	workflowField,
	workflowTemplateField,
} from './operation';

export const bot = resource('bot', 'Bot', {
	description: 'Run the bots of your account',
	operations: {
		run: operation('Run', 'Run bot', {
			description: 'Start a bot, wait until it is done, and get its result',
			...startsRun(RUN_STARTS.bot),
		}),
		get: operation('Get', 'Get bot', {
			description: 'Read a bot with the schemas of its input and output',
			...request('GET', BOT, { expects: { bot_id: botField } }),
		}),
		getAll: operation('Get Many', 'Get many bots', {
			description: 'List the published bots that this account can run',
			...request('GET', '/v3/bots', { query: BOT_FILTERS, answer: page({ max: 100 }) }),
		}),
	},
});

export const template = resource('template', 'Template', {
	description: 'Run the service’s official bots',
	operations: {
		run: operation('Run', 'Run template', {
			description: 'Start an official template, wait until it is done, and get its result',
			...startsRun(RUN_STARTS.template),
		}),
		get: operation('Get', 'Get template', {
			description: 'Read an official template with the schema of its input',
			...request('GET', TEMPLATE, { expects: { template_id: templateField } }),
		}),
		getAll: operation('Get Many', 'Get many templates', {
			description: 'List the official templates, or search them by name',
			...request('GET', '/v3/bots/templates', {
				query: { keyword: keywordFilter },
				answer: page({ max: 500 }),
			}),
		}),
		getRegions: operation('Get Proxy Regions', 'Get proxy regions', {
			description: 'List the countries a template’s browser can appear to be in',
			...request('GET', '/v3/bots/regions', { answer: list }),
		}),
	},
});

const WORKFLOW = { workflow_id: workflowField };

export const workflow = resource('workflow', 'Workflow (V2)', {
	description: 'Workflow bots in the older V2 API. Bot does more.',
	isOlder: true,
	without: V3_ALONE,
	operations: {
		run: operation('Run', 'Run workflow (V2)', {
			description: 'Start a workflow, wait until its task is done, and get the result',
			...startsTask('/v2/workflow/run-task', WORKFLOW, WORKFLOW_OPTIONS),
		}),
		get: operation('Get', 'Get workflow (V2)', {
			description: 'Read a workflow with the names of its inputs',
			...request('GET', '/v2/workflow/get-workflow', {
				query: WORKFLOW,
				expects: { id: workflowField },
			}),
		}),
		getAll: operation('Get Many', 'Get many workflows (V2)', {
			description: 'List the workflows of this account',
			...request('GET', '/v2/workflow/list-workflows', { answer: page({ max: 500 }) }),
		}),
	},
});

const WORKFLOW_TEMPLATE = { workflow_template_id: workflowTemplateField };

export const workflowTemplate = resource('workflowTemplate', 'Workflow Template (V2)', {
	description: 'Official templates in the older V2 API. Template does more.',
	isOlder: true,
	without: V3_ALONE,
	operations: {
		run: operation('Run', 'Run workflow template (V2)', {
			description: 'Start a workflow template, wait until its task is done, and get the result',
			...startsTask('/v2/workflow/run-task-by-template', WORKFLOW_TEMPLATE, {
				proxyRegion: proxyRegionOption,
			}),
		}),
		get: operation('Get', 'Get workflow template (V2)', {
			description: 'Read an official workflow template with the names of its inputs',
			...request('GET', '/v2/workflow/get-official-workflow-template', {
				query: WORKFLOW_TEMPLATE,
			}),
		}),
		getAll: operation('Get Many', 'Get many workflow templates (V2)', {
			description: 'List the official workflow templates, or search them by name',
			...request('GET', '/v2/workflow/list-official-workflow-templates', {
				query: { keyword: keywordFilter },
				answer: page({ max: 500 }),
			}),
		}),
	},
});
