import { withSignal } from './cancellation';

/** Bounds how much work runs at once. The rest waits in a queue, first in, first out. */
export class Semaphore {
	private working = 0;
	/** Begins the work of each that waits, oldest first. */
	private readonly queue = new Set<() => void>();

	constructor(private readonly atOnce: number) {}

	/**
	 * Does some work when its turn comes.
	 *
	 * @param signal when the turn would come too late, if ever; work that was begun goes on
	 * @throws what the work throws, or the signal's reason
	 */
	async inTurn<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
		if (this.working < this.atOnce) this.working += 1;
		else await this.turn(signal);
		try {
			return await work();
		} finally {
			this.leave();
		}
	}

	/** Waits for a place. */
	private async turn(signal = new AbortController().signal): Promise<void> {
		let letIn = (): void => undefined;
		const turn = new Promise<void>((resolve) => (letIn = resolve));
		this.queue.add(letIn);
		await withSignal(signal, turn).catch((error: unknown) => {
			const wasLetIn = !this.queue.delete(letIn);
			if (wasLetIn) this.leave();
			throw error;
		});
	}

	private leave(): void {
		const [next] = this.queue;
		if (next === undefined) this.working -= 1;
		else if (this.queue.delete(next)) next();
	}
}
