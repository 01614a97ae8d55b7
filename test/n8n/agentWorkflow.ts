import { workflowOf, type NodeSketch, type WorkflowDefinition } from '../../dev/n8n/workflow';
import type { ChatModel } from '../../dev/demo/chatModel';
import { manualTrigger, refersTo, type Workbench } from './workbench';

/** An agent of a generation (its type version) with a scripted model and one tool, named "Bot". */
export async function agentWorkflow(
	{ client }: Workbench,
	model: ChatModel,
	typeVersion: number,
	tool: NodeSketch,
): Promise<WorkflowDefinition> {
	const data = { apiKey: 'none', url: model.url };
	const openAi = await client.createCredential('Scripted', 'openAiApi', data);
	const definition = workflowOf('Agent', [
		manualTrigger,
		{
			name: 'Agent',
			type: '@n8n/n8n-nodes-langchain.agent',
			typeVersion,
			parameters: { promptType: 'define', text: 'Go', options: {} },
		},
		{
			name: 'Model',
			type: '@n8n/n8n-nodes-langchain.lmChatOpenAi',
			typeVersion: 1.2,
			parameters: { model: { __rl: true, mode: 'id', value: 'scripted' }, options: {} },
			credentials: refersTo(openAi),
		},
		tool,
	]);
	definition.connections = {
		Start: { main: [[{ node: 'Agent', type: 'main', index: 0 }]] },
		Model: { ai_languageModel: [[{ node: 'Agent', type: 'ai_languageModel', index: 0 }]] },
		Bot: { ai_tool: [[{ node: 'Agent', type: 'ai_tool', index: 0 }]] },
	};
	return definition;
}
