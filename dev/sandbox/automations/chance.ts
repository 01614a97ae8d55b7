/** Numbers from 0 up to, but not including, 1 that are the same for the same seed (mulberry32). */
export function chanceFrom(seed: number): () => number {
	let state = seed >>> 0;
	return () => {
		state = (state + 0x6d2b79f5) >>> 0;
		let mixed = Math.imul(state ^ (state >>> 15), state | 1);
		mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
		return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
	};
}

/** Believable values that are the same for the same seed. */
export class Chance {
	/** From 0 up to, but not including, 1. */
	readonly fraction: () => number;

	constructor(seed: string) {
		let hash = 0x811c9dc5;
		for (let index = 0; index < seed.length; index += 1) {
			hash = Math.imul(hash ^ seed.charCodeAt(index), 0x01000193);
		}
		this.fraction = chanceFrom(hash);
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
