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

export interface DurationSetting extends Partial<Durations> {
	/** Up to how much longer than `running` a run goes on, at random, in milliseconds. */
	readonly spread?: number;
}

const DEFAULTS = { created: 300, running: 1500, pausing: 100, resuming: 200, spread: 0 };

/** The durations in force; of several settings the latest. */
export class DurationSettings {
	private readonly original: Required<DurationSetting>;
	private current: Required<DurationSetting>;

	constructor(original: Partial<Durations> = {}) {
		this.original = { ...DEFAULTS, ...original };
		this.current = this.original;
	}

	reset(): void {
		this.current = this.original;
	}

	set(setting: DurationSetting): void {
		const spread = setting.running === undefined ? this.current.spread : 0;
		const given = Object.entries(setting).filter(([, value]) => value !== undefined);
		this.current = { ...this.current, spread, ...Object.fromEntries(given) };
	}

	of(state: keyof Durations): number | null {
		const { [state]: duration, spread } = this.current;
		return duration === null || state !== 'running' ? duration : duration + Math.random() * spread;
	}
}
