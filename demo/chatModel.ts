import { createServer, type Server } from 'node:http';
import { json } from 'node:stream/consumers';
import { isRecord } from '../n8n/json';

/** What the model asks for: a call of a tool with these arguments. */
export interface ToolCall {
	/** The tool's name, for a model that is offered different ones; the first tool when left out. */
	tool?: string;
	arguments: Record<string, unknown>;
}

/**
 * A chat model on this machine that speaks OpenAI's interface and follows a script: it makes the calls
 * of the tools that it is offered, one after another, then answers with what it got.
 */
export class ChatModel {
	private constructor(
		private readonly server: Server,
		/** Base URL for the credential. */
		readonly url: string,
	) {}

	/** @param conclude what the model says in the end, of the tools' answers; by default these answers as JSON */
	static async start(
		script: ToolCall[],
		conclude: (answers: string[]) => string = (answers) => JSON.stringify(answers),
	): Promise<ChatModel> {
		const server = createServer((request, response) => {
			void json(request).then((body) => {
				response.writeHead(200, { 'content-type': 'application/json' });
				response.end(JSON.stringify(completionOf(body, script, conclude)));
			});
		});
		await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
		const address = server.address();
		const port = typeof address === 'object' && address !== null ? address.port : 0;
		return new ChatModel(server, `http://127.0.0.1:${port}/v1`);
	}

	async close(): Promise<void> {
		this.server.closeAllConnections();
		await new Promise((resolve) => this.server.close(resolve));
	}
}

function completionOf(
	body: unknown,
	script: ToolCall[],
	conclude: (answers: string[]) => string,
): object {
	const { messages, tools } = isRecord(body) ? body : {};
	const answers = records(messages).filter(({ role }) => role === 'tool');
	const offered = records(tools).map((tool) => (isRecord(tool.function) ? tool.function.name : ''));
	const calls = script.filter(({ tool }) => tool === undefined || offered.includes(tool));
	const next = calls[answers.length];
	const name = next?.tool ?? offered[0];
	const message =
		next === undefined
			? { role: 'assistant', content: conclude(answers.map(({ content }) => String(content))) }
			: {
					role: 'assistant',
					content: null,
					tool_calls: [
						{
							id: `call-${answers.length}`,
							type: 'function',
							function: { name, arguments: JSON.stringify(next.arguments) },
						},
					],
				};
	return {
		id: 'completion',
		object: 'chat.completion',
		created: 0,
		model: 'scripted',
		choices: [{ index: 0, message, finish_reason: next === undefined ? 'stop' : 'tool_calls' }],
		usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
	};
}

function records(value: unknown): Array<Record<string, unknown>> {
	return Array.isArray(value) ? value.filter(isRecord) : [];
}
