import type { Arbitrary } from 'fast-check';

/** One kind of input that comes from elsewhere, and what is done with it. */
export interface Target<T> {
	name: string;
	inputs: Arbitrary<T>;
	/** Does with an input what a node does. Throws when the node could harm or mislead anybody by that. */
	tryInput(input: T): void | Promise<void>;
}

/** Says what must hold. */
export function must(holds: boolean, words: string): void {
	if (!holds) throw new Error(`It does not hold that ${words}`);
}
