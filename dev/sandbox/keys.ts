/** The key every sandbox knows. */
export const DEFAULT_KEY = 'sandbox-key';

/** An API key, the company it belongs to, and how many runs its plan allows at a time. */
export interface ApiKey {
	readonly key: string;
	readonly company: string;
	readonly concurrency: number | undefined;
}

/** The API keys the service accepts. */
export class ApiKeys {
	/** Stands in for a key in operations that need none. */
	readonly anonymous: ApiKey = { key: '', company: '', concurrency: undefined };
	private readonly known = new Map<string, ApiKey>();

	constructor(private readonly original: ApiKey) {
		this.reset();
	}

	reset(): void {
		this.known.clear();
		this.add(this.original);
	}

	/** Adds a key, or changes a known one. */
	add(key: ApiKey): void {
		this.known.set(key.key, key);
	}

	remove(key: string): void {
		this.known.delete(key);
	}

	/** Every key. */
	all(): ApiKey[] {
		return [...this.known.values()];
	}

	find(key: string): ApiKey | undefined {
		return this.known.get(key);
	}

	/** The key named by an `Authorization: Bearer` header, if the service knows it. */
	fromHeader(authorization: string | undefined): ApiKey | undefined {
		const bearer = /^Bearer +(\S+)$/i.exec(authorization ?? '')?.[1];
		return bearer === undefined ? undefined : this.known.get(bearer);
	}
}
