import { isoTime } from './clock';
import type { FileLinks } from './fileLinks';
import { withoutUndefined } from './json';
import type { JsonObject } from './json';
import { isTerminal } from './runs';
import type { Run, RunStatus } from './runs';
import type { RunView } from './runView';

/** Shows runs as the V2 interface does: as tasks of a workflow. */
export class TaskView {
	constructor(
		private readonly runView: RunView,
		private readonly links: FileLinks,
	) {}

	/** The status as V2 names it. */
	status(run: Run): RunStatus | 'unknown' {
		return run.unknownInV2 ? 'unknown' : run.status;
	}

	/** A task as lists show it: without steps. */
	summary(run: Run): JsonObject {
		const expiresAt = this.links.expiry();
		const generated = this.runView.generatedFiles(run, expiresAt);
		const liveView = this.runView.liveView(run);
		return withoutUndefined({
			id: run.taskId,
			status: this.status(run),
			created_at: isoTime(run.createdAt),
			workflow_id: run.automation.id,
			output: this.output(run, expiresAt),
			live_url_info: liveView,
			live_url: liveView?.live_url,
			profile_id: run.profileId,
			finished_at: run.finishedAt === undefined ? undefined : isoTime(run.finishedAt),
			task_failure_info: run.failure,
			credit: this.runView.credit(run),
			download_files:
				generated.length === 0
					? undefined
					: generated.map((file) => ({
							guid: file.guid,
							fileName: file.name,
							fileSize: file.size,
							status: 'completed',
							progress: 100,
							downloadUrl: file.link,
							downloadStartTime: file.startedAt,
							downloadCompletedTime: file.completedAt,
							expiresAt: file.expiresAt,
							createTime: file.startedAt,
						})),
			files_expires_at: run.status === 'finished' ? expiresAt : undefined,
			input_parameters: inputText(run.input),
			log_detail_url: this.runView.logUrl(run),
		});
	}

	/** A task as it is read on its own. */
	detail(run: Run): JsonObject {
		return { ...this.summary(run), steps: this.runView.steps(run) };
	}

	private output(run: Run, expiresAt: number): JsonObject | undefined {
		if (run.status === 'running') return { string: null, files: null };
		if (!isTerminal(run.status)) return undefined;
		const output = this.runView.output(run);
		const text = typeof output === 'string' ? output : JSON.stringify(output);
		return {
			string: text ?? null,
			files: this.runView.resultFiles(run, expiresAt).map(({ link }) => link),
		};
	}
}

/** `a=1; b=2` (docs/service.md: Task). */
function inputText(input: JsonObject): string {
	return Object.entries(input)
		.map(([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`)
		.join('; ');
}
