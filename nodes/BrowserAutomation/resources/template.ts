import {
	ask,
	at,
	keywordFilter,
	list,
	page,
	proxyRegionOption,
	resource,
	startRun,
	templateField,
} from './operation';

const TEMPLATE = at`/v3/bots/templates/${templateField}`;

export const template = resource({
	value: 'template',
	name: 'Template',
	description: 'Run the service’s official bots, with an input form for each',
	operations: {
		run: {
			name: 'Run',
			action: 'Run template',
			description: 'Start an official template, wait until it is done, and get its result',
			...startRun(TEMPLATE, { proxy_region: proxyRegionOption }),
		},
		get: {
			name: 'Get',
			action: 'Get template',
			description: 'Read an official template with the schema of its input',
			...ask('GET', TEMPLATE, { expects: { template_id: templateField } }),
		},
		getAll: {
			name: 'Get Many',
			action: 'Get many templates',
			description: 'List the official templates, or search them by name',
			...ask('GET', '/v3/bots/templates', { query: { keyword: keywordFilter } }),
			answer: page({ max: 500 }),
		},
		getRegions: {
			name: 'Get Proxy Regions',
			action: 'Get proxy regions',
			description: 'List the countries a template’s browser can appear to be in',
			...ask('GET', '/v3/bots/regions'),
			answer: list,
		},
	},
});
