/** Believable values that are the same for the same seed. */
export class Chance {
	private state: number;

	constructor(seed: string) {
		let hash = 0x811c9dc5;
		for (let index = 0; index < seed.length; index += 1) {
			hash = Math.imul(hash ^ seed.charCodeAt(index), 0x01000193);
		}
		this.state = hash >>> 0;
	}

	/** From 0 up to, but not including, 1 (mulberry32). */
	fraction(): number {
		this.state = (this.state + 0x6d2b79f5) >>> 0;
		let mixed = this.state;
		mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
		mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
		return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
	}

	/** A whole number between the two, both included. */
	whole(least: number, max: number): number {
		return least + Math.floor(this.fraction() * (max - least + 1));
	}

	pick<T>(choices: readonly [T, ...T[]]): T {
		return choices[Math.floor(this.fraction() * choices.length)] ?? choices[0];
	}
}

/** Lower-case words joined by hyphens, for addresses. */
export function slug(text: string): string {
	return text
		.toLowerCase()
		.replace(/[^a-z0-9]+/g, '-')
		.replace(/^-|-$/g, '');
}
