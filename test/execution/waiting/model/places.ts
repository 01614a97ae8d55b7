import type { Story } from './story';

/** Gives a place back. */
export type Leave = () => void;

/**
 * n8n's limit of production executions in regular mode. Who wants to go on waits in line, however long, with what was read
 * before (n8n active-executions.js: `add`).
 */
export class Places {
	private taken = 0;
	private readonly line: Leave[] = [];

	constructor(private readonly production: Story['production']) {
		for (const { at, lasts } of production?.busy ?? []) {
			setTimeout(() => void this.enter().then((leave) => setTimeout(leave, lasts)), at);
		}
	}

	async enter(): Promise<Leave> {
		const { atOnce = Infinity } = this.production ?? {};
		if (this.taken < atOnce) this.taken += 1;
		else await new Promise<void>((resolve) => this.line.push(resolve));
		return () => {
			const next = this.line.shift();
			if (next === undefined) this.taken -= 1;
			else next();
		};
	}
}
