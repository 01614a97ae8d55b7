import { isObject } from './json';
import type { JsonObject } from './json';
import type { Run } from './runs';
import { renderFile } from './fileFormats';
import type { FileFormat } from './fileFormats';

/** Larger outputs are only given as files (docs/service.md: Limits). */
const INLINE_LIMIT = 5 * 1024 * 1024;

const KEPT_RESULTS = 16;

/** The result of a finished run, and its business result files. */
export interface RunResult {
	readonly output: unknown;
	readonly inline: boolean;
	readonly files: ReadonlyMap<FileFormat, Buffer>;
}

/** Works out results, which depend on automation and input alone, and keeps the latest. */
export class Results {
	private readonly kept = new Map<string, RunResult>();

	of(run: Run): RunResult {
		const id = `${run.automation.id} ${JSON.stringify(run.input)}`;
		const result = this.kept.get(id) ?? this.compute(run);
		this.kept.delete(id);
		this.kept.set(id, result);
		const oldest = this.kept.keys().next().value;
		if (this.kept.size > KEPT_RESULTS && oldest !== undefined) this.kept.delete(oldest);
		return result;
	}

	private compute(run: Run): RunResult {
		const output = run.automation.output(run.input);
		const files = new Map<FileFormat, Buffer>();
		const rows = rowsIn(output);
		if (rows.length > 0) {
			for (const format of ['json', 'csv', 'md', 'xml'] as const) {
				files.set(format, Buffer.from(renderFile(format, rows, output)));
			}
		}
		const size = files.get('json')?.length ?? 0;
		return { output, inline: size <= INLINE_LIMIT, files };
	}
}

/** The rows of an output: a list, a list in a member, or either of them as JSON text. */
function rowsIn(output: unknown): JsonObject[] {
	if (Array.isArray(output)) return output.filter(isObject);
	if (isObject(output))
		return Object.values(output).flatMap((v) => (Array.isArray(v) ? rowsIn(v) : []));
	if (typeof output !== 'string' || !output.startsWith('[')) return [];
	const parsed: unknown = JSON.parse(output);
	return rowsIn(parsed);
}
