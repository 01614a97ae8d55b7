import { Workflow, type INode, type INodeParameters, type INodeType } from 'n8n-workflow';

export function subtitleOf(type: INodeType, parameters: INodeParameters): unknown {
	const node: INode = {
		id: '1',
		name: 'Node',
		type: 'node',
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
