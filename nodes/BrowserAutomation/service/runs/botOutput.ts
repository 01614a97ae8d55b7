import { isJsonObject, readJson, type JsonObject, type JsonValue } from '../json/json';
import { runApiOf, V2_TASKS } from './runApi';

/** Some texts begin with this mark. It is not part of their content. */
export const BYTE_ORDER_MARK = '\uFEFF';

/** Begins and ends a code block in Markdown. Language models often put JSON into one. */
const FENCE = '```';

/**
 * The output of a run, parsed: for rows, shown outputs and the editor's lists. Text becomes a list or object if
 * it is JSON, JSON within a JSON string, JSON Lines, or a code block with at most one line before and after it.
 * Other text stays as it is, without a byte order mark.
 *
 * @returns undefined without an output, or where it is blank
 */
export function outputOf(run: JsonObject): JsonValue | undefined {
	const written = writtenOutput(run);
	return readOutput(written ? written.string : run.output);
}

/** Whether there is an output. Does not parse text, which may have megabytes. */
export function hasOutput(run: JsonObject): boolean {
	const { string: given } = writtenOutput(run) ?? { string: run.output };
	return typeof given === 'string' ? given.trim() !== '' : outputOf(run) !== undefined;
}

/** Whether an output, as `outputOf` gives it, is a text that begins like JSON: it may be cut off. */
export function isBegun(output: JsonValue | undefined): output is string {
	return typeof output === 'string' && /^\s*[[{]/.test(output);
}

function readOutput(output: JsonValue | undefined): JsonValue | undefined {
	if (isWritten(output)) return readOutput(output.string);
	if (typeof output !== 'string') return output ?? undefined;
	const text = output.startsWith(BYTE_ORDER_MARK) ? output.slice(1) : output;
	return readOutput(structureIn(text)) ?? (text.trim() === '' ? undefined : text);
}

/** The run with a parsed output in place of its own. Links to its files stay. */
export function withOutput(run: JsonObject, output: JsonValue): JsonObject {
	const written = writtenOutput(run) ?? (runApiOf(run) === V2_TASKS ? {} : undefined);
	return { ...run, output: written ? { ...written, string: output } : output };
}

/**
 * An output in the form of V2: its text in `string`, links in `files` (docs/service.md: Task). One of V2 counts if it
 * has either, one of V3 if it has these two members and no others.
 */
export function writtenOutput({ output, ...run }: JsonObject): JsonObject | undefined {
	if (runApiOf(run) !== V2_TASKS) return isWritten(output) ? output : undefined;
	if (!isJsonObject(output)) return undefined;
	const isOther = Object.keys(output).length > 0 && !('string' in output || 'files' in output);
	return isOther ? undefined : output;
}

function isWritten(output: JsonValue | undefined): output is JsonObject {
	return isJsonObject(output) && Object.keys(output).sort().join() === 'files,string';
}

/** The list or object in a text, or in a JSON string in it. Undefined without one. */
function structureIn(text: string): JsonValue | undefined {
	const value = jsonIn(text);
	if (typeof value === 'string') return structureIn(value);
	return typeof value === 'object' && value !== null ? value : undefined;
}

/** The JSON value of a text: of the whole, of a code block, or of its lines. */
export function jsonIn(text: string): JsonValue | undefined {
	const said = text.trim();
	const json = /^[[{"]/.test(said) ? said : insideFence(said);
	return json === undefined ? undefined : (readJson(json) ?? readLines(json));
}

/** The content of a code block that has at most one line before and after it. */
function insideFence(text: string): string | undefined {
	const [begin, end] = [text.indexOf(FENCE), text.lastIndexOf(FENCE)];
	if (begin === end) return undefined;
	const around = [text.slice(0, begin), text.slice(end + FENCE.length)];
	if (around.some((words) => words.trim().includes('\n'))) return undefined;
	return text.slice(begin + FENCE.length, end).replace(/^\w+/, '');
}

/** The objects of JSON Lines, one in each line. */
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
