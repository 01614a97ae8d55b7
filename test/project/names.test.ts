import { join } from 'node:path';

import { BrowserAutomationApi } from '../../credentials/BrowserAutomationApi.credentials';
import { BrowserAutomationSigningApi } from '../../credentials/BrowserAutomationSigningApi.credentials';
import { readWorkflowFile } from '../../dev/n8n/workflow';
import { BrowserAutomation } from '../../nodes/BrowserAutomation/BrowserAutomation.node';
import { BrowserAutomationPollingTrigger } from '../../nodes/BrowserAutomation/BrowserAutomationPollingTrigger.node';
import { BrowserAutomationTrigger } from '../../nodes/BrowserAutomation/BrowserAutomationTrigger.node';
import { catalogue } from '../../nodes/BrowserAutomation/resources/catalogue';
import { parametersOf } from '../../tools/texts/parameters';
import { filesIn, PAGES, proseOf, read, ROOT } from './markdown';

/** Names that pages emphasise and n8n shows: of its editor, its own nodes, and its messages. */
const OF_N8N = new Set([
	...[
		'Always Output Data',
		'Community nodes',
		'D',
		'Data tables',
		'Error Trigger',
		'Error Workflow',
	],
	...['Execute workflow', 'Executions', 'From list', 'On Error', 'Retry', 'Retry On Fail', 'Save'],
	...['Set Manually', 'Settings > n8n API', 'Test URL', 'Tool', 'Tool Description', 'Waiting'],
	...['Continue (using error output)', 'Add a description', 'Field … is required', 'More details'],
	...['Allowed HTTP Request Domains', 'All', 'None', 'Specific Domains'],
	...['Import from File', 'Poll Times', 'Every Hour'],
	...['AI Agent', 'AI Assistant', 'Call n8n Workflow', 'Edit Fields', 'Google Sheets', 'If'],
	...['Loop Over Items', 'MCP Server Trigger', 'Remove Duplicates', 'Respond to Webhook'],
	...['Schedule Trigger', 'Slack', 'Summarize', 'Wait'],
	...['All Incoming Items', 'All Item Data (Into a Single List)', 'Append Row'],
	...['Append or Update Row', 'Authentication', 'Authentication > Predefined Credential Type'],
	...['Bearer Auth', 'Cell Format', 'Column to match on', 'Days', 'Include Headers and Status'],
	...[
		'Let n8n format',
		'Limit Wait Time',
		'Map Automatically',
		'Mapping Column Mode',
		'Never Error',
	],
	...['On Webhook Call', 'POST', 'Respond', 'Respond With', 'Response Code', 'Resume'],
	...["Using 'Respond to Webhook' Node", 'When Last Node Finishes'],
	...['No item to return was found', 'Sub-workflow is paused'],
	...['This execution failed to be processed too many times'],
]);

/** Names that the service, its own node or GitHub shows. */
const OF_OTHERS = new Set([
	...['Allow Automatic Execution', 'Browser settings', 'CLI Action Confirmation', 'Confirm'],
	...['Confirmation Required', 'Create New API Key', 'Default Output Format', 'Integrations'],
	...['Integrations > Manage API Keys', 'Manage API Keys', 'Parallel multitasking'],
	...['Private Browser', 'Standard Browser', 'Human Check', 'Maximum results', 'Timeout'],
	...['Report a vulnerability', 'Security'],
]);

const types = [BrowserAutomation, BrowserAutomationPollingTrigger, BrowserAutomationTrigger];
const descriptions = types.map((Type) => new Type().description);
const shown = [
	...descriptions.map(({ properties }) => properties),
	...[new BrowserAutomationApi(), new BrowserAutomationSigningApi()].map(
		({ properties }) => properties,
	),
].flatMap((properties) => parametersOf(properties));

/** Names that the package shows: of nodes, credentials, resources with operations, parameters, options and choices. */
const own = new Set(
	[
		...['Browser Automation API', 'Browser Automation Signing API', 'Browser Automation Tool'],
		...descriptions.map(({ displayName }) => displayName),
		...catalogue.flatMap(({ name, operations }) =>
			[name, ...operations.map((operation) => operation.name)].concat(
				operations.map((operation) => `${name} > ${operation.name}`),
			),
		),
		...shown.flatMap(({ property, choices }) => [
			property.displayName,
			...choices.map(({ name }) => name),
		]),
		...shown.flatMap(({ property }) =>
			(property.type === 'collection' ? (property.options ?? []) : []).map(
				(option) =>
					`${property.displayName} > ${'displayName' in option ? option.displayName : option.name}`,
			),
		),
	].flatMap((name) => [name, name.replace(/ \([^)]*\)$/, '')]),
);

const sources = ['nodes', 'credentials'].flatMap((folder) => filesIn(folder, '.ts').map(read));

/** Whether it is a sentence or button that the package shows: with two words in lower case, found in the code as it stands. */
function isQuoted(name: string): boolean {
	return / [a-z]\S* [a-z]/.test(name) && sources.some((source) => source.includes(name));
}

const examples = filesIn('examples', '.json').map((page) => {
	const { nodes } = readWorkflowFile(join(ROOT, page));
	const notes = nodes.map(({ parameters }) => String(Object(parameters).content ?? ''));
	return { page, text: notes.join('\n'), nodes: nodes.map(({ name }) => name) };
});
const ofExamples = new Set(examples.flatMap(({ nodes }) => nodes));

const pages = [
	...PAGES.filter((page) => /^(?:README|SECURITY|docs\/(?!develop|service))/.test(page))
		.filter((page) => !read(page).startsWith('<!-- Made by'))
		.map((page) => ({ page, text: proseOf(page) })),
	...examples,
];

/** Italics that begin with a capital, and what is bold in Title Case. Notes in n8n have stars around italics, pages underscores. */
function namesIn(text: string): string[] {
	const italic = text.matchAll(/(?<![\w*])(?:_([^_\n]+)_(?!\w)|\*([^*\n]+)\*(?!\*))/g);
	const bold = text.matchAll(/\*\*([^*\n]+)\*\*/g);
	const isTitle = (words: string): boolean =>
		/^\S+ \S+/.test(words) &&
		/^(?:(?:[A-Z(]\S*|an?|as|by|for|if|in|of|or|the|to|>)(?: |$))+$/.test(words);
	return [
		...[...italic]
			.map(([, page, note]) => page ?? note ?? '')
			.filter((name) => /^[A-Z]/.test(name)),
		...[...bold].map(([, words = '']) => words.replace(/:$/, '')).filter(isTitle),
	];
}

it.each(pages)(
	'the names that $page emphasises are shown by the node, n8n or the service',
	({ text }) => {
		const known = [own, OF_N8N, OF_OTHERS, ofExamples];
		const isKnown = (name: string): boolean =>
			known.some((names) => names.has(name)) || isQuoted(name);
		expect(namesIn(text).filter((name) => !isKnown(name))).toEqual([]);
	},
);

it('many names are compared, and no list has one that no page emphasises', () => {
	const named = new Set(pages.flatMap(({ text }) => namesIn(text)));
	expect([...named].filter((name) => own.has(name)).length).toBeGreaterThan(50);
	expect([...OF_N8N, ...OF_OTHERS].filter((name) => !named.has(name))).toEqual([]);
});
