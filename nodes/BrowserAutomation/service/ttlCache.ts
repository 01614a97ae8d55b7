/** How often a cache lets go of what has expired, in milliseconds. */
const SWEEP_EVERY_MS = 60_000;

/** A cache of this process whose entries expire. When it is full, the oldest entry is dropped. */
export class TtlCache<Value> {
	private readonly kept = new Map<string, { value: Value; until: number }>();
	private sweepAt = 0;

	/** @param max how many values are kept at most */
	constructor(private readonly max: number) {}

	/** @returns undefined when there is none, or its time is over */
	get(key: string): Value | undefined {
		const found = this.kept.get(key);
		return found === undefined || found.until <= Date.now() ? undefined : found.value;
	}

	/** @param until when to forget it, in milliseconds since 1970 */
	set(key: string, value: Value, until: number): void {
		this.kept.delete(key);
		this.kept.set(key, { value, until });
		const now = Date.now();
		if (this.kept.size > this.max || now >= this.sweepAt) {
			this.sweepAt = now + SWEEP_EVERY_MS;
			for (const [name, entry] of this.kept) if (entry.until <= now) this.kept.delete(name);
		}
		const [oldest = key] = this.kept.keys();
		if (this.kept.size > this.max) this.kept.delete(oldest);
	}

	/** What is kept, or else what is made now; in both cases it is kept as the newest until then. */
	getOrMake(key: string, make: () => Value, until: number): Value {
		const value = this.get(key) ?? make();
		this.set(key, value, until);
		return value;
	}

	/** All that is kept, oldest first. */
	values(): Value[] {
		const now = Date.now();
		return [...this.kept.values()].flatMap(({ value, until }) => (until > now ? [value] : []));
	}

	delete(key: string): void {
		this.kept.delete(key);
	}
}
