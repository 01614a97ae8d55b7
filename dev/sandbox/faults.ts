/** Which requests a fault befalls. */
interface FaultScope {
	/** Only requests with this API key; every request when left out. */
	readonly key?: string;
	readonly method?: string;
	/** Regular expression on the path, e.g. `^/v3/bots/runs/\\d+$`. Files are below `/files/`. */
	readonly path?: string;
	/** How many requests; until the faults are cleared when left out. */
	readonly times?: number;
}

type FaultKind =
	/** The answer comes that much later, or as soon as all faults are cleared. */
	| { readonly kind: 'latency'; readonly ms: number }
	/** 429; `retryAfter` is the header's value (seconds or a date), without it there is no header. */
	| { readonly kind: 'rateLimit'; readonly retryAfter?: string }
	/** 500 with the error envelope. `after`: the operation is carried out first. */
	| { readonly kind: 'serverError'; readonly after?: boolean }
	/** 200 with JSON that breaks off. The operation is carried out. */
	| { readonly kind: 'malformedJson' }
	/** A run or task is shown as if it had not ended yet: still running, and without output or files. */
	| { readonly kind: 'lagging' }
	/** The connection is cut. `after`: the operation is carried out first. For a file: after so many bytes. */
	| { readonly kind: 'cutConnection'; readonly after?: boolean; readonly afterBytes?: number }
	/** HTTP 200 with an envelope that holds an error. */
	| { readonly kind: 'envelopeError'; readonly code: number; readonly msg: string }
	/** The JSON answer has these members in place of its own, e.g. a number of records that is not so. */
	| { readonly kind: 'members'; readonly members: Readonly<Record<string, unknown>> }
	/** Any answer at all, in place of the operation. */
	| {
			readonly kind: 'answer';
			readonly status: number;
			readonly contentType?: string;
			readonly headers?: Readonly<Record<string, string>>;
			readonly body?: string;
	  };

export type Fault = FaultScope & FaultKind;

/** What is done to the callbacks of the runs started with a key. */
export interface CallbackFaults {
	/** So many callbacks are never sent. */
	readonly lose?: number | 'all';
	/** Each is sent so many times in all. */
	readonly repeat?: number;
	/** The time between those, in milliseconds; all at once when left out. */
	readonly repeatEveryMs?: number;
	/** Each is sent so much later, in milliseconds. */
	readonly delayMs?: number;
	/** They are held back for so long and then sent in reverse order. */
	readonly reverseWithinMs?: number;
	/** The run goes through all its states, callbacks included, before its start is answered. */
	readonly early?: boolean;
}

interface FaultRule {
	readonly fault: Fault;
	readonly pattern: RegExp | undefined;
	left: number;
}

/** The faults in force. */
export class FaultRules {
	private rules: FaultRule[] = [];
	/** Each ends the latency of a request. */
	private readonly delayed = new Set<() => void>();
	private readonly callbackFaults = new Map<string, CallbackFaults>();
	private readonly losses = new Map<string, number>();

	reset(): void {
		this.clear();
		this.callbackFaults.clear();
		this.losses.clear();
	}

	/** Adds a fault; of several that fit a request the first added befalls it. Latencies add up. */
	add(fault: Fault): void {
		const pattern = fault.path === undefined ? undefined : new RegExp(fault.path);
		this.rules.push({ fault, pattern, left: fault.times ?? Infinity });
	}

	/** Ends the faults of a key, or all of them. */
	clear(key?: string): void {
		this.rules = key === undefined ? [] : this.rules.filter(({ fault }) => fault.key !== key);
		if (key !== undefined) return;
		for (const end of this.delayed) end();
	}

	/** Waits for the latency of a request, in milliseconds, or until all faults are cleared. */
	async delay(latencyMs: number): Promise<void> {
		if (latencyMs <= 0) return;
		await new Promise<void>((resolve) => {
			const end = (): void => {
				clearTimeout(timer);
				this.delayed.delete(end);
				resolve();
			};
			const timer = setTimeout(end, latencyMs);
			this.delayed.add(end);
		});
	}

	/** Takes the faults that befall a request: the latency in milliseconds, and at most one other. */
	take(key: string, method: string, path: string): { latencyMs: number; fault: Fault | undefined } {
		let latencyMs = 0;
		let taken: Fault | undefined;
		for (const rule of this.rules) {
			const { fault, pattern } = rule;
			const fits =
				rule.left > 0 &&
				(fault.key === undefined || fault.key === key) &&
				(fault.method === undefined || fault.method.toUpperCase() === method) &&
				(pattern === undefined || pattern.test(path));
			if (!fits || (fault.kind !== 'latency' && taken)) continue;
			rule.left -= 1;
			if (fault.kind === 'latency') latencyMs += fault.ms;
			else taken = fault;
		}
		return { latencyMs, fault: taken };
	}

	/** Sets what is done to the callbacks of a key, in place of what was set before. */
	setCallbackFaults(key: string, faults: CallbackFaults): void {
		this.callbackFaults.set(key, faults);
		this.losses.set(key, faults.lose === 'all' ? Infinity : (faults.lose ?? 0));
	}

	callbackFaultsOf(key: string): CallbackFaults {
		return this.callbackFaults.get(key) ?? {};
	}

	/** Whether the next callback of this key is lost. */
	takeLoss(key: string): boolean {
		const left = this.losses.get(key) ?? 0;
		this.losses.set(key, left - 1);
		return left > 0;
	}
}
