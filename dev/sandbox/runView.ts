import { createHash } from 'node:crypto';
import { isoTime } from './clock';
import type { FileFormat } from './fileFormats';
import type { FileLinks } from './fileLinks';
import { withoutUndefined } from './json';
import type { JsonObject } from './json';
import type { Results } from './results';
import { isTerminal } from './runs';
import type { Run } from './runs';

/** A file a run has generated, before it is written in the style of V2 or V3. Times in epoch ms. */
export interface GeneratedFile {
	readonly guid: string;
	readonly name: string;
	readonly size: number;
	readonly link: string;
	readonly startedAt: number;
	readonly completedAt: number;
	readonly expiresAt: number;
}

export interface ResultFile {
	readonly format: FileFormat;
	readonly name: string;
	readonly size: number;
	readonly link: string;
}

/** Running this long costs one credit. */
const CREDIT_MS = 500;
/** A step a second, until they are all done. */
const STEP_MS = 1000;

/** Shows runs as the V3 interface does. Fields that do not apply are left out. */
export class RunView {
	/** Address of the service, for the pages that links lead to; known once it listens. */
	serviceUrl = '';

	constructor(
		private readonly links: FileLinks,
		private readonly results: Results,
		private readonly archiveSize: () => number,
	) {}

	status(run: Run): JsonObject {
		return { task_id: run.taskId, status: run.status, updated_at: isoTime(run.updatedAt) };
	}

	/** Leaves out output, files and steps. */
	summary(run: Run): JsonObject {
		const isBotRun = run.automation.source === 'bot';
		return withoutUndefined({
			task_id: run.taskId,
			bot_type: run.automation.type,
			status: run.status,
			created_at: isoTime(run.createdAt),
			input: run.input,
			bot_id: isBotRun ? run.automation.id : undefined,
			bot_name: isBotRun ? run.automation.name : undefined,
			finished_at: run.finishedAt === undefined ? undefined : isoTime(run.finishedAt),
			task_failure_info: run.failure,
			live_url_info: this.liveView(run),
			credit: this.credit(run),
		});
	}

	detail(run: Run): JsonObject {
		const expiresAt = this.links.expiry();
		const resultFiles = this.resultFiles(run, expiresAt);
		const generated = this.generatedFiles(run, expiresAt);
		const hasFiles = resultFiles.length + generated.length > 0;
		return {
			...this.summary(run),
			...withoutUndefined({
				log_detail_url: this.logUrl(run),
				[this.results.nameOf(run.automation)]: this.output(run),
				output_files:
					resultFiles.length === 0
						? undefined
						: Object.fromEntries(
								resultFiles.map(({ format, name, size, link }) => [
									format,
									{ file_name: name, file_size: size, download_url: link },
								]),
							),
				download_files:
					generated.length === 0
						? undefined
						: generated.map((file) => ({
								guid: file.guid,
								file_name: file.name,
								file_size: file.size,
								status: 'completed',
								progress: 100,
								download_url: file.link,
								download_start_time: file.startedAt,
								download_completed_time: file.completedAt,
								expires_at: file.expiresAt,
								create_time: file.startedAt,
							})),
				files_expires_at: hasFiles ? expiresAt : undefined,
				steps: run.startedAt === undefined ? undefined : this.steps(run),
			}),
		};
	}

	/** The inline output of a finished run; undefined when there is none or it is over 5 MB. */
	output(run: Run): unknown {
		if (run.status !== 'finished') return undefined;
		const result = this.results.of(run);
		return result.inline ? result.output : undefined;
	}

	resultFiles(run: Run, expiresAt: number): ResultFile[] {
		if (run.status !== 'finished') return [];
		return [...this.results.of(run).files].map(([format, bytes]) => {
			const name = `result.${format}`;
			return {
				format,
				name,
				size: bytes.length,
				link: this.links.link(run.taskId, name, expiresAt),
			};
		});
	}

	generatedFiles(run: Run, expiresAt: number): GeneratedFile[] {
		const { archiveName } = run.automation;
		if (run.status !== 'finished' || archiveName === undefined) return [];
		return [
			{
				guid: createHash('md5').update(`${run.taskId} ${archiveName}`).digest('hex'),
				name: archiveName,
				size: this.archiveSize(),
				link: this.links.link(run.taskId, archiveName, expiresAt),
				startedAt: run.startedAt ?? run.createdAt,
				completedAt: run.finishedAt ?? run.updatedAt,
				expiresAt,
			},
		];
	}

	steps(run: Run): JsonObject[] {
		if (run.startedAt === undefined) return [];
		const goals = run.automation.steps;
		const begun = Math.floor((Date.now() - run.startedAt) / STEP_MS) + 1;
		const shown = run.status === 'finished' ? goals.length : Math.min(begun, goals.length);
		return goals.slice(0, shown).map((goal, index) => ({
			id: `${run.taskId}-${index + 1}`,
			step: index + 1,
			status: stepStatus(run, index === shown - 1),
			evaluation_previous_goal: index === 0 ? 'Nothing done yet' : `Done: ${goals[index - 1]}`,
			step_goal: goal,
			screenshots_url: `${this.serviceUrl}/sandbox/pages/screenshots/${run.taskId}/${index + 1}.svg`,
		}));
	}

	/** Only while the run is running. */
	liveView(run: Run): { width: number; height: number; live_url: string } | undefined {
		if (run.status !== 'running') return undefined;
		const url = `${this.serviceUrl}/sandbox/pages/live/${run.taskId}`;
		return { width: 1280, height: 720, live_url: url };
	}

	logUrl(run: Run): string {
		return `${this.serviceUrl}/sandbox/pages/log/${run.taskId}`;
	}

	/** A whole number of credits, once the run has ended. */
	credit(run: Run): number | undefined {
		if (!isTerminal(run.status) || run.startedAt === undefined) return undefined;
		const ranFor = (run.finishedAt ?? run.startedAt) - run.startedAt;
		return Math.max(1, Math.ceil(ranFor / CREDIT_MS));
	}
}

function stepStatus(run: Run, isLast: boolean): 'running' | 'succeed' | 'failed' {
	if (!isLast || run.status === 'finished') return 'succeed';
	return isTerminal(run.status) ? 'failed' : 'running';
}
