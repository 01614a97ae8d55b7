import { Workflow, type INode, type INodeParameters } from 'n8n-workflow';

import { BrowserAutomationPollingTrigger } from '../../nodes/BrowserAutomation/BrowserAutomationPollingTrigger.node';
import { BrowserAutomationTrigger } from '../../nodes/BrowserAutomation/BrowserAutomationTrigger.node';

const TRIGGERS = [new BrowserAutomationTrigger(), new BrowserAutomationPollingTrigger()];

/** What the editor shows below a trigger with these parameters. */
function subtitleOf(type: (typeof TRIGGERS)[number], parameters: INodeParameters): unknown {
	const node: INode = {
		id: '1',
		name: 'Trigger',
		type: 'trigger',
		typeVersion: 1,
		position: [0, 0],
		parameters,
	};
	const getByNameAndVersion = () => type;
	const nodeTypes = { getByName: getByNameAndVersion, getByNameAndVersion, getKnownTypes: Object };
	const workflow = new Workflow({ nodes: [node], connections: {}, active: false, nodeTypes });
	const { subtitle } = type.description;
	return workflow.expression.getSimpleParameterValue(node, subtitle ?? '', 'internal', {});
}

describe.each(TRIGGERS)('$description.displayName', (type) => {
	it('shows its events by their names', () => {
		expect(subtitleOf(type, { events: ['runCompleted', 'runStatusChanged'] })).toBe(
			'Run Completed, Run Status Changed',
		);
	});

	it('offers its events by the same names', () => {
		const events = type.description.properties.find(({ name }) => name === 'events');
		const values = events?.options?.map((option) => ('value' in option ? option.value : '')) ?? [];
		const names = events?.options?.map(({ name }) => name);

		expect(subtitleOf(type, { events: values.map(String) })).toBe(names?.join(', '));
	});

	it('says publish where n8n does, and activate where n8n did', () => {
		const texts = JSON.stringify(type.description);

		expect(texts).not.toMatch(/(?<!\()activat(e|ing) the workflow/i);
		expect(texts).not.toContain('Listen for test event');
	});
});
