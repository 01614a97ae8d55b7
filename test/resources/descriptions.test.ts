import { BrowserAutomation } from '../../nodes/BrowserAutomation/BrowserAutomation.node';
import { catalogue } from '../../nodes/BrowserAutomation/resources/catalogue';
import { subtitleOf } from '../subtitle';

const node = new BrowserAutomation();

const OPERATIONS = catalogue.flatMap((resource) =>
	resource.operations.map((operation) => ({ resource, operation })),
);

it('shows on the canvas what a node does, by the names of the editor', () => {
	expect(subtitleOf(node, { resource: 'bot', operation: 'run' })).toBe('Run: Bot');
	for (const { resource, operation } of OPERATIONS) {
		expect(subtitleOf(node, { resource: resource.value, operation: operation.value })).toBe(
			`${operation.name}: ${resource.name}`,
		);
	}
});

it('lists running a bot first among its actions, as n8n takes them in the order of the options', () => {
	const { properties } = node.description;
	const valuesOf = (name: string) =>
		properties
			.find((property) => property.name === name)
			?.options?.map((option) => ('value' in option ? option.value : undefined));

	expect(valuesOf('resource')?.slice(0, 3)).toEqual(['bot', 'run', 'template']);
	expect(valuesOf('operation')?.[0]).toBe('run');
});

it('lists the older API last, and marks it in each of its names', () => {
	const names = catalogue.map(({ name }) => name);
	expect(names.slice(-3)).toEqual(['Workflow (V2)', 'Workflow Template (V2)', 'Task (V2)']);
	for (const { resource, operation } of OPERATIONS) {
		expect(operation.action.endsWith('(V2)')).toBe(resource.name.endsWith('(V2)'));
	}
});

it.each(OPERATIONS)(
	'names the action of $resource.value.$operation.value in sentence case, without articles',
	({ operation }) => {
		expect(operation.action).toMatch(/^[A-Z][a-z-]+\b/);
		expect(operation.action).not.toMatch(/\b(?:a|an|the)\b/);
	},
);

it.each(catalogue)('says in a sentence what $name is for', ({ description }) => {
	expect(description).toMatch(/^[A-Z].{20,}/);
});
