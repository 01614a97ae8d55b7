/** How far a long task is. */
export interface Progress {
	/** What is being done now, for example "Downloading n8n 2.41". */
	task: string;
	done?: number;
	total?: number;
}

export type ReportProgress = (progress: Progress) => void;

/** One line about a task, for example "Downloading n8n 2.41: 812 of 2101 packages, 47 s". */
export function describeProgress(progress: Progress, elapsedSeconds: number): string {
	const { task, done, total } = progress;
	if (done === undefined || total === undefined) return `${task}: ${elapsedSeconds} s`;
	const count =
		done === 0
			? `none of ${total} packages yet, the first may take two minutes`
			: `${Math.min(done, total)} of ${total} packages`;
	return `${task}: ${count}, ${elapsedSeconds} s`;
}

const plainInterval = 15_000;

/**
 * Shows progress on a stream until `end()`: on a terminal one line that is rewritten every second, elsewhere a line when the
 * task changes and every 15 s.
 */
class ProgressDisplay {
	private current: Progress | undefined;

	private taskStart = 0;

	private printed = 0;

	private readonly timer: NodeJS.Timeout;

	constructor(private readonly stream: NodeJS.WriteStream = process.stderr) {
		this.timer = setInterval(() => this.tick(), 1_000);
		this.timer.unref();
	}

	readonly report: ReportProgress = (progress) => {
		const isNewTask = progress.task !== this.current?.task;
		if (isNewTask) {
			if (this.current !== undefined) this.finishLine();
			this.taskStart = Date.now();
		}
		this.current = progress;
		if (isNewTask) this.print();
	};

	end(): void {
		clearInterval(this.timer);
		if (this.current !== undefined) this.finishLine();
		this.current = undefined;
	}

	private tick(): void {
		if (this.current === undefined) return;
		if (this.stream.isTTY || Date.now() - this.printed >= plainInterval) this.print();
	}

	private print(): void {
		if (this.current === undefined) return;
		this.printed = Date.now();
		const seconds = Math.round((Date.now() - this.taskStart) / 1_000);
		const line = `  ${describeProgress(this.current, seconds)}`;
		this.stream.write(this.stream.isTTY ? `\r\x1b[K${line}` : `${line}\n`);
	}

	private finishLine(): void {
		this.print();
		if (this.stream.isTTY) this.stream.write('\n');
	}
}

/** Does something long and shows how far it is until its end. */
export async function withProgress<T>(task: (report: ReportProgress) => Promise<T>): Promise<T> {
	const display = new ProgressDisplay();
	try {
		return await task(display.report);
	} finally {
		display.end();
	}
}
