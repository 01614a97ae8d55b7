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
 * A chat model on this machine that speaks OpenAI's interface, streamed or not, and follows a script: it makes
 * the calls of the tools that it is offered, one after another or several at once, then answers with what it got.
 */
export class ChatModel {
	private constructor(
		private readonly server: Server,
		/** Base URL for the credential. */
		readonly url: string,
		/** The tools that each request offers, as OpenAI's interface has them. */
		readonly offers: readonly unknown[],
	) {}

	/** @param conclude what the model says in the end, of the tools' answers; by default these answers as JSON */
	static async start(
		script: Array<ToolCall | ToolCall[]>,
		conclude: (answers: string[]) => string = (answers) => JSON.stringify(answers),
	): Promise<ChatModel> {
		const offers: unknown[] = [];
		const server = createServer((request, response) => {
			void json(request).then((body) => {
				offers.push(isRecord(body) ? body.tools : undefined);
				const message = messageOf(body, script, conclude);
				const reason = 'tool_calls' in message ? 'tool_calls' : 'stop';
				const isStreamed = isRecord(body) && body.stream === true;
				const type = isStreamed ? 'text/event-stream' : 'application/json';
				response.writeHead(200, { 'content-type': type });
				response.end(isStreamed ? streamed(message, reason) : whole(message, reason));
			});
		});
		await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
		const address = server.address();
		const port = typeof address === 'object' && address !== null ? address.port : 0;
		return new ChatModel(server, `http://127.0.0.1:${port}/v1`, offers);
	}

	async close(): Promise<void> {
		this.server.closeAllConnections();
		await new Promise((resolve) => this.server.close(resolve));
	}
}

interface Message {
	role: 'assistant';
	content: string | null;
	tool_calls?: object[];
}

function messageOf(
	body: unknown,
	script: Array<ToolCall | ToolCall[]>,
	conclude: (answers: string[]) => string,
): Message {
	const { messages, tools } = isRecord(body) ? body : {};
	const answers = records(messages).filter(({ role }) => role === 'tool');
	const offered = records(tools).map((tool) => (isRecord(tool.function) ? tool.function.name : ''));
	const steps = script
		.map((step) => [step].flat())
		.map((step) => step.filter(({ tool }) => tool === undefined || offered.includes(tool)));
	let asked = 0;
	for (const step of steps) {
		if (asked >= answers.length && step.length > 0) {
			const calls = step.map((call, index) => ({
				index,
				id: `call-${asked + index}`,
				type: 'function',
				function: { name: call.tool ?? offered[0], arguments: JSON.stringify(call.arguments) },
			}));
			return { role: 'assistant', content: null, tool_calls: calls };
		}
		asked += step.length;
	}
	const content = conclude(answers.map((answered) => String(answered.content)));
	return { role: 'assistant', content };
}

const ABOUT = { id: 'completion', created: 0, model: 'scripted' };
const USAGE = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };

function whole(message: Message, reason: string): string {
	const choices = [{ index: 0, message, finish_reason: reason }];
	return JSON.stringify({ ...ABOUT, object: 'chat.completion', choices, usage: USAGE });
}

function streamed(message: Message, reason: string): string {
	const object = 'chat.completion.chunk';
	const chunks = [
		{ choices: [{ index: 0, delta: message, finish_reason: null }] },
		{ choices: [{ index: 0, delta: {}, finish_reason: reason }] },
		{ choices: [], usage: USAGE },
	].map((chunk) => JSON.stringify({ ...ABOUT, object, ...chunk }));
	return [...chunks, '[DONE]'].map((data) => `data: ${data}\n\n`).join('');
}

function records(value: unknown): Array<Record<string, unknown>> {
	return Array.isArray(value) ? value.filter(isRecord) : [];
}
