import { isJsonObject, readJson, type JsonObject, type JsonValue } from '../json/json';
import { runApiOf, V2_TASKS } from './runApi';

/** What a text may begin with that says how it is written. */
export const BYTE_ORDER_MARK = '\uFEFF';

/** What begins and ends a block of code in Markdown, as language models like to write JSON. */
const FENCE = '```';

/**
 * What the run's bot gave, read: the one place where rows, shown outputs and the editor's lists take it from. Text that
 * says a JSON list or object becomes that, be it written as JSON, as a text in JSON, in a block of code with
 * at most a line before and after it, or as JSON Lines. Any other text stays as it is but for a byte order mark.
 *
 * @returns undefined when there is nothing: no output, or a text without a word
 */
export function outputOf(run: JsonObject): JsonValue | undefined {
	const written = writtenOutput(run);
	return readOutput(written ? written.string : run.output);
}

/** Whether there is an output; reads none of its text, which may be megabytes. */
export function hasOutput(run: JsonObject): boolean {
	const { string: given } = writtenOutput(run) ?? { string: run.output };
	return typeof given === 'string' ? given.trim() !== '' : outputOf(run) !== undefined;
}

function readOutput(told: JsonValue | undefined): JsonValue | undefined {
	if (isWritten(told)) return readOutput(told.string);
	if (typeof told !== 'string') return told ?? undefined;
	const text = told.startsWith(BYTE_ORDER_MARK) ? told.slice(1) : told;
	return readOutput(structureIn(text)) ?? (text.trim() === '' ? undefined : text);
}

/** The run with this in the place of what its bot gave, which is read already; links to its files stay. */
export function withOutput(run: JsonObject, output: JsonValue): JsonObject {
	const written = writtenOutput(run) ?? (runApiOf(run) === V2_TASKS ? {} : undefined);
	return { ...run, output: written ? { ...written, string: output } : output };
}

/**
 * The output of a V2 task: text in `string`, links in `files` (docs/service.md: Task). A run of V3 may have the
 * same two, and nothing else.
 */
export function writtenOutput({ output, ...run }: JsonObject): JsonObject | undefined {
	if (runApiOf(run) === V2_TASKS) return isJsonObject(output) ? output : undefined;
	return isWritten(output) ? output : undefined;
}

function isWritten(output: JsonValue | undefined): output is JsonObject {
	return isJsonObject(output) && Object.keys(output).sort().join() === 'files,string';
}

/** The JSON list or object that a text says, be it said in a JSON text; undefined where it says none. */
function structureIn(text: string): JsonValue | undefined {
	const value = jsonIn(text);
	if (typeof value === 'string') return structureIn(value);
	return typeof value === 'object' && value !== null ? value : undefined;
}

/** The JSON that a text says: as it is, in a block of code, or line by line. */
export function jsonIn(text: string): JsonValue | undefined {
	const said = text.trim();
	const json = /^[[{"]/.test(said) ? said : insideFence(said);
	return json === undefined ? undefined : (readJson(json) ?? readLines(json));
}

/** The inside of a block of code, with at most a line before and after it. */
function insideFence(text: string): string | undefined {
	const [begin, end] = [text.indexOf(FENCE), text.lastIndexOf(FENCE)];
	if (begin === end) return undefined;
	const around = [text.slice(0, begin), text.slice(end + FENCE.length)];
	if (around.some((words) => words.trim().includes('\n'))) return undefined;
	return text.slice(begin + FENCE.length, end).replace(/^\w+/, '');
}

/** The objects of JSON Lines: one in each line, and at least two. */
function readLines(text: string): JsonObject[] | undefined {
	const lines = text.split('\n').filter((line) => line.trim() !== '');
	const objects: JsonObject[] = [];
	for (const line of lines) {
		const object = readJson(line);
		if (!isJsonObject(object)) return undefined;
		objects.push(object);
	}
	return objects;
}
