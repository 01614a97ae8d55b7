/** Ends what was started, in reverse order, once, whatever else goes wrong meanwhile. */
export class Closing {
	private readonly steps: Array<() => Promise<void>> = [];

	private closing: Promise<void> | undefined;

	/** Notes how to end something that has just been started. */
	onClose(step: () => Promise<void>): void {
		this.steps.push(step);
	}

	get hasBegun(): boolean {
		return this.closing !== undefined;
	}

	async close(): Promise<void> {
		this.closing ??= this.closeAll();
		await this.closing;
	}

	private async closeAll(): Promise<void> {
		for (const step of this.steps.reverse()) {
			await step().catch((error: unknown) => console.error(error));
		}
	}
}
