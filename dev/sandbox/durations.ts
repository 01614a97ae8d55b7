/**
 * How long a run stays in a state, in milliseconds. `null` holds it there until it is moved,
 * resumed or canceled.
 */
export interface Durations {
	/** From the start to running. */
	readonly created: number | null;
	/** From running to paused or to its end. */
	readonly running: number | null;
	/** From pausing to paused. */
	readonly pausing: number | null;
	/** From the request to resume to running. */
	readonly resuming: number | null;
}

/** Durations for a bot or template, for a key, for both, or (neither given) for all runs. */
export interface DurationSetting extends Partial<Durations> {
	readonly bot?: string;
	readonly key?: string;
	/** Up to how much longer than `running` a run goes on, at random, in milliseconds. */
	readonly spread?: number;
}

const DEFAULTS: Durations = { created: 300, running: 1500, pausing: 100, resuming: 200 };

/** The durations in force. The most specific setting wins; of equals the latest. */
export class DurationSettings {
	private settings: DurationSetting[] = [];

	constructor(private readonly original: Partial<Durations> = {}) {}

	reset(): void {
		this.settings = [];
	}

	set(setting: DurationSetting): void {
		this.settings.push(setting);
	}

	of(state: keyof Durations, bot: string, key: string): number | null {
		const fallback = this.original[state];
		let duration = fallback === undefined ? DEFAULTS[state] : fallback;
		let weight = -1;
		for (const setting of this.settings) {
			const value = setting[state];
			const fits =
				(setting.bot === undefined || setting.bot === bot) &&
				(setting.key === undefined || setting.key === key);
			const own = (setting.bot === undefined ? 0 : 1) + (setting.key === undefined ? 0 : 2);
			if (value !== undefined && fits && own >= weight) {
				const { spread = 0 } = state === 'running' ? setting : {};
				duration = value === null ? value : value + Math.random() * spread;
				weight = own;
			}
		}
		return duration;
	}
}
