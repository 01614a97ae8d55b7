import { refusals } from './refusal';

/** One ID lies beyond the whole numbers that a JavaScript number can hold: IDs stay text. */
const ORIGINAL: ReadonlyArray<readonly [id: string, name: string]> = [
	['501', 'Office'],
	['502', 'Warehouse'],
	['9007199254740993', 'Branch with a long ID'],
];

/** The static proxies and their names. */
export class StaticProxies {
	private names = new Map(ORIGINAL);

	reset(): void {
		this.names = new Map(ORIGINAL);
	}

	rename(id: string, name: string): void {
		if (!this.names.has(id)) throw refusals.missing('static proxy');
		this.names.set(id, name);
	}

	/** Names by ID. */
	all(): Record<string, string> {
		return Object.fromEntries(this.names);
	}
}
