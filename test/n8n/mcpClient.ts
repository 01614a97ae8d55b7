import { randomUUID } from 'node:crypto';

import { fetchAlone } from '../../dev/fetchAlone';
import { isRecord } from '../../dev/n8n/json';
import { workflowOf, type NodeSketch, type WorkflowDefinition } from '../../dev/n8n/workflow';

/** A workflow that offers a tool at `/mcp/<path>`. */
export function mcpWorkflow(path: string, tool: NodeSketch): WorkflowDefinition {
	const trigger: NodeSketch = {
		name: 'MCP',
		type: '@n8n/n8n-nodes-langchain.mcpTrigger',
		typeVersion: 2,
		webhookId: path,
		parameters: { authentication: 'none', path },
	};
	return {
		...workflowOf('MCP', [trigger, tool]),
		connections: { [tool.name]: { ai_tool: [[{ node: 'MCP', type: 'ai_tool', index: 0 }]] } },
	};
}

/** What an agent outside of n8n asks of the tools behind n8n's MCP Server Trigger. */
export type Ask = (method: string, params?: object) => Promise<Record<string, unknown>>;

/** Connects to n8n's MCP Server Trigger, as an agent outside of n8n does. @param address the trigger's production URL */
export async function connectMcp(address: string): Promise<Ask> {
	const { session } = await send(address, '', 'initialize', {
		protocolVersion: '2025-03-26',
		capabilities: {},
		clientInfo: { name: 'test', version: '1' },
	});
	return async (method, params = {}) => (await send(address, session, method, params)).result;
}

async function send(address: string, session: string, method: string, params: object) {
	const response = await fetchAlone(address, {
		method: 'POST',
		headers: {
			'content-type': 'application/json',
			accept: 'application/json, text/event-stream',
			...(session !== '' && { 'mcp-session-id': session }),
		},
		body: JSON.stringify({ jsonrpc: '2.0', id: randomUUID(), method, params }),
	});
	const text = await response.text();
	const [, line = text] = /^data: (.*)$/m.exec(text) ?? [];
	const answer: unknown = response.ok ? JSON.parse(line) : undefined;
	if (!isRecord(answer) || !isRecord(answer.result)) {
		throw new Error(`${method} was answered ${response.status}: ${text}`);
	}
	return { session: response.headers.get('mcp-session-id') ?? session, result: answer.result };
}
