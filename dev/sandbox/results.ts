import type { Automation } from './automations/automation';
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

/** What the runs of a bot give in the place of its own output, whatever their input. */
export interface FixedOutput {
	readonly output: unknown;
	/** What the bot tells of it; null where it tells nothing. */
	readonly outputSchema: JsonObject | null;
	/** The name of the output in a run; `output` when left out. */
	readonly under?: string;
	/** Whether the bot converts its result to files: its output is an empty text then. */
	readonly inFiles?: boolean;
}

/** Works out results, which depend on automation and input alone, and keeps the latest. */
export class Results {
	private readonly kept = new Map<string, RunResult>();

	private readonly fixed = new Map<string, FixedOutput>();

	/** Gives the runs of a bot another output from now on. */
	fix(botId: string, output: FixedOutput): void {
		this.fixed.set(botId, output);
		this.kept.clear();
	}

	reset(): void {
		this.fixed.clear();
		this.kept.clear();
	}

	/** What a bot tells of its output. */
	schemaOf({ id, outputSchema }: Automation): JsonObject | null {
		const fixed = this.fixed.get(id);
		return fixed === undefined ? (outputSchema ?? null) : fixed.outputSchema;
	}

	/** The name that the output of a bot has in a run. */
	nameOf({ id }: Automation): string {
		return this.fixed.get(id)?.under ?? 'output';
	}

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
		const fixed = this.fixed.get(run.automation.id);
		const output = fixed === undefined ? run.automation.output(run.input) : fixed.output;
		const files = new Map<FileFormat, Buffer>();
		const rows = rowsIn(output);
		if (rows.length > 0) {
			for (const format of ['json', 'csv', 'md', 'xml'] as const) {
				files.set(format, Buffer.from(renderFile(format, rows, output)));
			}
		}
		const size = files.get('json')?.length ?? 0;
		return { output: fixed?.inFiles ? '' : output, inline: size <= INLINE_LIMIT, files };
	}
}

/** The rows of an output: a list, a list in a member, or either of them as JSON text. */
function rowsIn(output: unknown): JsonObject[] {
	if (Array.isArray(output)) return output.filter(isObject);
	if (isObject(output))
		return Object.values(output).flatMap((v) => (Array.isArray(v) ? rowsIn(v) : []));
	if (typeof output !== 'string' || !output.startsWith('[')) return [];
	try {
		const parsed: unknown = JSON.parse(output);
		return rowsIn(parsed);
	} catch {
		return [];
	}
}
