import {
	ask,
	page,
	profileIdOption,
	resource,
	saveBrowserDataOption,
	startTask,
	workflowField,
} from './operation';

const WORKFLOW = { workflow_id: workflowField };

export const workflow = resource({
	value: 'workflow',
	name: 'Workflow (V2)',
	description:
		'Workflow bots, through the older V2 API. Bot > Run has a form and checks the input.',
	operations: {
		run: {
			name: 'Run',
			action: 'Run workflow (V2)',
			description: 'Start a workflow, wait until its task is done, and get the result',
			...startTask('/v2/workflow/run-task', WORKFLOW, {
				save_browser_data: saveBrowserDataOption,
				profile_id: profileIdOption,
			}),
		},
		get: {
			name: 'Get',
			action: 'Get workflow (V2)',
			description: 'Read a workflow with the names of its inputs',
			...ask('GET', '/v2/workflow/get-workflow', {
				query: WORKFLOW,
				expects: { id: workflowField },
			}),
		},
		getAll: {
			name: 'Get Many',
			action: 'Get many workflows (V2)',
			description: 'List the workflows of this account',
			...ask('GET', '/v2/workflow/list-workflows'),
			answer: page({ max: 500 }),
		},
	},
});
