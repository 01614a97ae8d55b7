import {
	ask,
	keywordFilter,
	page,
	proxyRegionOption,
	operation,
	resource,
	startTask,
	WORKFLOW_OPTIONS,
	workflowField,
	workflowTemplateField,
} from './operation';

const WORKFLOW = { workflow_id: workflowField };

export const workflow = resource('workflow', 'Workflow (V2)', {
	description: 'Workflow bots, through the older V2 API. Bot > Run has a form and checks input.',
	operations: {
		run: operation('Run', 'Run workflow (V2)', {
			description: 'Start a workflow, wait until its task is done, and get the result',
			...startTask('/v2/workflow/run-task', WORKFLOW, WORKFLOW_OPTIONS),
		}),
		get: operation('Get', 'Get workflow (V2)', {
			description: 'Read a workflow with the names of its inputs',
			...ask('GET', '/v2/workflow/get-workflow', {
				query: WORKFLOW,
				expects: { id: workflowField },
			}),
		}),
		getAll: operation('Get Many', 'Get many workflows (V2)', {
			description: 'List the workflows of this account',
			...ask('GET', '/v2/workflow/list-workflows', { answer: page({ max: 500 }) }),
		}),
	},
});

const WORKFLOW_TEMPLATE = { workflow_template_id: workflowTemplateField };

export const workflowTemplate = resource('workflowTemplate', 'Workflow Template (V2)', {
	description:
		'Official templates, through the older V2 API. Template > Run has a form and checks the input.',
	operations: {
		run: operation('Run', 'Run workflow template (V2)', {
			description: 'Start a workflow template, wait until its task is done, and get the result',
			...startTask('/v2/workflow/run-task-by-template', WORKFLOW_TEMPLATE, {
				proxyRegion: proxyRegionOption,
			}),
		}),
		get: operation('Get', 'Get workflow template (V2)', {
			description: 'Read an official workflow template with the names of its inputs',
			...ask('GET', '/v2/workflow/get-official-workflow-template', { query: WORKFLOW_TEMPLATE }),
		}),
		getAll: operation('Get Many', 'Get many workflow templates (V2)', {
			description: 'List the official workflow templates, or search them by name',
			...ask('GET', '/v2/workflow/list-official-workflow-templates', {
				query: { keyword: keywordFilter },
				answer: page({ max: 500 }),
			}),
		}),
	},
});
