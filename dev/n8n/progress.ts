/** Says what is being done now, for example "Downloading n8n 2.41". */
export type ReportProgress = (task: string) => void;

const INTERVAL_MS = 15_000;

/** Does something long. What it is at is told when that begins, when it ends, and every 15 s, with the seconds it has taken. */
export async function withProgress<T>(work: (report: ReportProgress) => Promise<T>): Promise<T> {
	let current: { task: string; begun: number } | undefined;
	const tell = (): void => {
		if (current === undefined) return;
		console.error(`  ${current.task}: ${Math.round((Date.now() - current.begun) / 1_000)} s`);
	};
	const timer = setInterval(tell, INTERVAL_MS).unref();
	try {
		return await work((task) => {
			tell();
			current = { task, begun: Date.now() };
			tell();
		});
	} finally {
		clearInterval(timer);
		tell();
	}
}
