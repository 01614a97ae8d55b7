import { isJsonObject, readJson, type JsonObject, type JsonValue } from '../json/json';
import { runApiOf, V2_TASKS } from './runApi';

/** Some texts begin with it; it says how their bytes are ordered, and is no part of what they say. */
export const BYTE_ORDER_MARK = '\uFEFF';

/** Begins and ends a block of code in Markdown. Language models like to write JSON in one. */
const FENCE = '```';

/**
 * Reads what the bot of a run gave. Rows, shown outputs and the editor's lists all come from here. A text
 * becomes the JSON list or object that it says: as JSON, as JSON in a JSON text, as JSON Lines, or in a
 * block of code with at most one line before it and one after it. Any other text stays as it is, without
 * a byte order mark.
 *
 * @returns undefined where there is no output, or only blank text
 */
export function outputOf(run: JsonObject): JsonValue | undefined {
	const written = writtenOutput(run);
	return readOutput(written ? written.string : run.output);
}

/** Whether there is an output. A text is not read for that: it may have megabytes. */
export function hasOutput(run: JsonObject): boolean {
	const { string: given } = writtenOutput(run) ?? { string: run.output };
	return typeof given === 'string' ? given.trim() !== '' : outputOf(run) !== undefined;
}

function readOutput(output: JsonValue | undefined): JsonValue | undefined {
	if (isWritten(output)) return readOutput(output.string);
	if (typeof output !== 'string') return output ?? undefined;
	const text = output.startsWith(BYTE_ORDER_MARK) ? output.slice(1) : output;
	return readOutput(structureIn(text)) ?? (text.trim() === '' ? undefined : text);
}

/** The run with an output that was read already. Links to its files stay. */
export function withOutput(run: JsonObject, output: JsonValue): JsonObject {
	const written = writtenOutput(run) ?? (runApiOf(run) === V2_TASKS ? {} : undefined);
	return { ...run, output: written ? { ...written, string: output } : output };
}

/**
 * An output in the form of V2: its text in `string`, links in `files` (docs/service.md: Task). A run of V3
 * may have that form, too; then its output has these two members and no others.
 */
export function writtenOutput({ output, ...run }: JsonObject): JsonObject | undefined {
	if (runApiOf(run) === V2_TASKS) return isJsonObject(output) ? output : undefined;
	return isWritten(output) ? output : undefined;
}

function isWritten(output: JsonValue | undefined): output is JsonObject {
	return isJsonObject(output) && Object.keys(output).sort().join() === 'files,string';
}

/** The JSON list or object that a text says, also by way of a JSON text; undefined where it says none. */
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
