import {
	deepCopy,
	jsonParse,
	NodeConnectionTypes,
	type IExecuteFunctions,
	type INodeExecutionData,
	type INodeProperties,
	type INodeType,
	type INodeTypeDescription,
} from 'n8n-workflow';

export const TOOL_USER_TYPE = 'harness.toolUser';

/**
 * Stands for an AI agent of the older kind (version 2 and below): it takes the tool connected to it
 * and invokes it once for each input item, with the item's JSON as arguments.
 */
export class ToolUserNode implements INodeType {
	description: INodeTypeDescription = {
		name: 'toolUser',
		displayName: 'Tool User',
		group: ['transform'],
		version: 1,
		description: '',
		defaults: { name: 'Tool User' },
		inputs: [NodeConnectionTypes.Main, { type: NodeConnectionTypes.AiTool, required: true }],
		outputs: [NodeConnectionTypes.Main],
		properties: [],
	};

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		const connected: unknown = await this.getInputConnectionData(NodeConnectionTypes.AiTool, 0);
		const tool: { invoke(given: unknown): Promise<unknown> } = Object([connected].flat()[0]);
		const answers: INodeExecutionData[] = [];
		for (const [item, { json }] of this.getInputData().entries()) {
			const answer = await tool.invoke(json);
			const text = typeof answer === 'string' ? answer : JSON.stringify(answer);
			answers.push({
				json: { answer: jsonParse(text, { fallbackValue: text }) },
				pairedItem: { item },
			});
		}
		return [answers];
	}
}

/** The tool variant n8n derives from a node type with `usableAsTool` (`convertNodeToAiTool`). */
export function convertToTool(type: INodeType): INodeType {
	const { usableAsTool, ...rest } = type.description;
	if (usableAsTool === undefined) throw new Error('The node type is not usable as a tool.');
	const copied: INodeTypeDescription = deepCopy(rest);
	const toolDescription: INodeProperties = {
		displayName: 'Description',
		name: 'toolDescription',
		type: 'string',
		default: copied.description,
	};
	const description: INodeTypeDescription = {
		...copied,
		name: `${copied.name}Tool`,
		displayName: `${copied.displayName} Tool`,
		inputs: [],
		outputs: [NodeConnectionTypes.AiTool],
		properties: [toolDescription, ...copied.properties],
	};
	return Object.create(type, { description: { value: description } });
}
