import type { JsonObject } from '../json';

type BotType = 'workflow' | 'agent';

export interface Failure {
	readonly code: number;
	readonly message: string;
}

/** What a run does: a bot of the company or an official template. */
export interface Automation {
	readonly id: string;
	readonly source: 'bot' | 'template';
	readonly type: BotType;
	readonly name: string;
	readonly description: string;
	/** Epoch milliseconds. */
	readonly createdAt: number;
	/** Epoch milliseconds; undefined while unpublished. */
	readonly publishedAt: number | undefined;
	readonly inputSchema: JsonObject;
	readonly outputSchema: JsonObject | undefined;
	/** Goals of the steps, in order. */
	readonly steps: readonly string[];
	/** The result for an input; the same input gives the same result. */
	readonly output: (input: JsonObject) => unknown;
	/** Whether a run pauses once for a human before it goes on. */
	readonly pauses: boolean;
	/** Set when every run fails. */
	readonly failure: Failure | undefined;
	/** Name of the large file that every run generates. */
	readonly archiveName: string | undefined;
	/** False for an agent whose model configuration is incomplete. */
	readonly ready: boolean;
	/** False where checking an input against the schema might never end. */
	readonly checksInput: boolean;
}

/** What is particular about an automation; the rest has a usual value. */
export type AutomationOutline = Pick<Automation, 'id' | 'name' | 'description' | 'output'> &
	Partial<Automation>;

/** A bot that somebody adds to the service. */
export interface AddedAutomation {
	/** Any text. What has it already gives way. */
	readonly id: string;
	readonly name: string;
	readonly description?: string;
	/** `workflow` when left out. */
	readonly type?: BotType;
	/** Any object is taken when left out. */
	readonly inputSchema?: JsonObject;
	readonly outputSchema?: JsonObject;
	/** What its runs give: their input when left out. */
	readonly output?: unknown;
	/** True when left out. */
	readonly published?: boolean;
}

/** Completes what somebody adds at a moment, in epoch milliseconds. */
export function describeAdded(
	{ output, published = true, ...outline }: AddedAutomation,
	now: number,
): Automation {
	return describeAutomation({
		description: '',
		inputSchema: { type: 'object' },
		...outline,
		createdAt: now,
		publishedAt: published ? now : undefined,
		output: (input) => output ?? input,
	});
}

const FIRST_CREATION = Date.UTC(2026, 0, 5, 9);
const HOUR = 3_600_000;

/** Completes an outline. Later IDs were created later. */
export function describeAutomation(outline: AutomationOutline): Automation {
	const createdAt = FIRST_CREATION + (Number(outline.id) % 1000) * 7 * HOUR;
	return {
		source: 'bot',
		type: 'workflow',
		createdAt,
		publishedAt: createdAt + 2 * HOUR,
		inputSchema: inputOf({}),
		outputSchema: undefined,
		steps: ['Open the page', 'Read the content', 'Collect the result'],
		pauses: false,
		failure: undefined,
		archiveName: undefined,
		ready: true,
		checksInput: true,
		...outline,
	};
}

/** An input schema as the service writes them: an object that allows no other members. */
export function inputOf(properties: JsonObject, required: readonly string[] = []): JsonObject {
	return { type: 'object', properties, required, additionalProperties: false };
}

/** The schema of a list of rows whose columns are given. */
export function rowsOf(properties: JsonObject): JsonObject {
	return { type: 'array', items: { type: 'object', properties } };
}
