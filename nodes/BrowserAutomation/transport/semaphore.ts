import { withSignal } from './cancellation';

/** Lets so many pieces of work be under way at once. The others wait in a line, first come first served. */
export class Semaphore {
	private working = 0;
	/** Lets the next one in, in the order in which they came. */
	private readonly line = new Set<() => void>();

	constructor(private readonly atOnce: number) {}

	/**
	 * Does some work when its turn comes.
	 *
	 * @param signal when the turn would come too late, if ever; work that was begun goes on
	 * @throws what the work throws, or the signal's reason
	 */
	async inTurn<T>(signal: AbortSignal | undefined, work: () => Promise<T>): Promise<T> {
		if (this.working < this.atOnce) this.working += 1;
		else await this.turn(signal);
		try {
			return await work();
		} finally {
			this.leave();
		}
	}

	/** Waits until whoever leaves hands its place on. */
	private async turn(signal = new AbortController().signal): Promise<void> {
		let letIn = (): void => undefined;
		const turn = new Promise<void>((resolve) => (letIn = resolve));
		this.line.add(letIn);
		await withSignal(signal, turn).catch((error: unknown) => {
			const wasLetIn = !this.line.delete(letIn);
			if (wasLetIn) this.leave();
			throw error;
		});
	}

	private leave(): void {
		const [next] = this.line;
		if (next === undefined) this.working -= 1;
		else if (this.line.delete(next)) next();
	}
}
