import { NodeHelpers, type INodeParameters, type INodeProperties } from 'n8n-workflow';

import { BrowserAutomation } from '../../nodes/BrowserAutomation/BrowserAutomation.node';
import { ACTION } from '../fixture';

const { description } = new BrowserAutomation();

/** What n8n adds to a node that an agent uses as its tool. */
const toolDescription: INodeProperties = {
	displayName: 'Tool Description',
	name: 'descriptionType',
	type: 'options',
	options: [{ name: 'Set Automatically', value: 'auto' }],
	default: 'auto',
};

const form = { mappingMode: 'defineBelow', value: { keyword: "={{ $fromAI('keyword') }}" } };

/** What n8n keeps of a node whose form was filled in before its input became JSON. */
function keptOf(properties: INodeProperties[]): INodeParameters | null {
	const parameters = { resource: 'bot', operation: 'run', inputMode: 'json', inputFields: form };
	const position: [number, number] = [0, 0];
	const node = { id: '1', name: 'Bot', type: ACTION, typeVersion: 1.1, position, parameters };
	return NodeHelpers.getNodeParameters(properties, parameters, false, false, node, description);
}

it('a form keeps its values while the input is JSON', () => {
	expect(keptOf(description.properties)).toHaveProperty('inputFields', form);
});

it('but not in an agent’s tool, where n8n would ask the model for them', () => {
	const kept = keptOf([toolDescription, ...description.properties]);
	expect(kept).toHaveProperty('inputMode', 'json');
	expect(kept).not.toHaveProperty('inputFields');
});
