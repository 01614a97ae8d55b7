import { join } from 'node:path';

import { isRecord } from '../../dev/n8n/json';
import { readWorkflowFile } from '../../dev/n8n/workflow';
import { catalogue } from '../../nodes/BrowserAutomation/resources/catalogue';
import { parametersOf } from '../package/shown';
import { filesIn, PAGES, proseOf, read, ROOT } from './markdown';
import { NODES, PROPERTIES } from './ownTypes';

/** Names of a list, with commas between them. */
function namesOf(list: string): Set<string> {
	return new Set(list.split(',').map((name) => name.trim().replace(/\s+/g, ' ')));
}

/** What n8n shows: in its editor, of its own nodes, as messages. */
const OF_N8N = namesOf(`
	Add a description, All, Allowed HTTP Request Domains, Always Output Data, Connect to Browser Automation,
	Continue (using error output), D, Data tables, Error Trigger, Error Workflow, Every Hour, Execute workflow, Executions,
	Field … is required, From list, Import from File, More details, None, On Error, Poll Times, Retry, Retry On Fail,
	Save failed production executions, Set Manually, Settings > n8n API, Specific Domains, Test URL, Tool, Tool Description,
	Waiting, Community nodes,
	AI Agent, AI Assistant, Call n8n Workflow, Chat Trigger, Edit Fields, Loop Over Items, MCP Server Trigger,
	Remove Duplicates, Respond to Webhook,
	All Incoming Items, All Item Data (Into a Single List), Append Row, Authentication,
	Authentication > Predefined Credential Type, Bearer Auth, Cell Format, Column to match on,
	Include Headers and Status, Let n8n format, Limit Wait Time, Map Automatically, Mapping Column Mode, Never Error,
	Execute Sub-workflow, Form Ending, Streaming, Using Response Nodes, Workflow Finishes, On Webhook Call, POST, Respond, Respond With, Response Code, Resume, Using 'Respond to Webhook' Node,
	When Last Node Finishes,
	No item to return was found, Sub-workflow is paused, This execution failed to be processed too many times
`);

/** What the service, its own node, the demo's bots or GitHub show. */
const OF_OTHERS = namesOf(`
	Allow Automatic Execution, Browser settings, CLI Action Confirmation, Confirmation Required, Create New API Key,
	Default Output Format, Get Task, Integrations > Manage API Keys, Manage API Keys, Maximum results,
	Parallel multitasking, Private Browser, Report a vulnerability, Security, Standard Browser, Timeout
`);

const parameters = PROPERTIES.flatMap((properties) => parametersOf(properties));

/** Names that the package shows: of nodes, credentials, resources with operations, parameters, options and choices. */
const own = new Set(
	[
		...['Browser Automation API', 'Browser Automation Signing API', 'Browser Automation Tool'],
		...NODES.map(({ description }) => description.displayName),
		...catalogue.flatMap(({ name, operations }) =>
			[name, ...operations.map((operation) => operation.name)].concat(
				operations.map((operation) => `${name} > ${operation.name}`),
			),
		),
		...parameters.flatMap(({ property, choices }) => [
			property.displayName,
			...choices.map(({ name }) => name),
		]),
		...parameters.flatMap(({ property }) =>
			(property.type === 'collection' ? (property.options ?? []) : []).map(
				(option) =>
					`${property.displayName} > ${'displayName' in option ? option.displayName : option.name}`,
			),
		),
	].flatMap((name) => [name, name.replace(/ \([^)]*\)$/, '')]),
);

const sources = ['nodes', 'credentials'].flatMap((folder) => filesIn(folder, '.ts').map(read));

/** Whether a text of the code begins with it, or has it in the middle where it has two words in lower case. */
function isQuoted(name: string): boolean {
	const texts = / [a-z]\S* [a-z]/.test(name) ? [name] : [`'${name}'`, `\`${name}: `];
	return sources.some((source) => texts.some((text) => source.includes(text)));
}

const examples = filesIn('examples', '.json').map((page) => {
	const { nodes } = readWorkflowFile(join(ROOT, page));
	const notes = nodes.map(({ parameters }) =>
		isRecord(parameters) ? String(parameters.content) : '',
	);
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
		/^(?:(?:['(]?[A-Z][^\s,]*|an?|as|by|for|from|if|in|of|or|the|to|>)(?: |$))+$/.test(words);
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
