import { randomUUID } from 'node:crypto';
import { isoTime } from './clock';
import type { JsonObject } from './json';
import { refusals } from './refusal';

type BrowserStatus = 'active' | 'grace-period' | 'expired';

/** A browser instance. Which fields the service gives is not published; these are believable. */
export interface Browser {
	readonly id: string;
	readonly company: string;
	readonly status: BrowserStatus;
	readonly requestId: string | undefined;
	readonly createdAt: number;
	fields: JsonObject;
	fingerprint: string;
	relayId: string | undefined;
}

const DAY = 86_400_000;

/** The browser instances of all companies. Each company starts with three of them. */
export class Browsers {
	private all = new Map<string, Browser>();
	private readonly provided = new Set<string>();
	private nextId = 30_001;

	reset(): void {
		this.all = new Map();
		this.provided.clear();
		this.nextId = 30_001;
	}

	create(company: string, fields: JsonObject, requestId?: string): Browser {
		return this.add(company, fields, 'active', requestId);
	}

	list(company: string, status: string | undefined, requestId: string | undefined): Browser[] {
		this.provide(company);
		return [...this.all.values()].filter(
			(browser) =>
				browser.company === company &&
				(status === undefined || browser.status === status) &&
				(requestId === undefined || browser.requestId === requestId),
		);
	}

	find(company: string, id: string): Browser {
		this.provide(company);
		const browser = this.all.get(id);
		if (browser?.company !== company) throw refusals.missing('browser');
		return browser;
	}

	delete(company: string, id: string): void {
		this.all.delete(this.find(company, id).id);
	}

	show({ id, status, createdAt, fields, fingerprint, relayId, requestId }: Browser): JsonObject {
		return {
			type: 'chrome',
			description: '',
			private: false,
			auto_renew: true,
			...fields,
			id,
			status,
			fingerprint,
			relay_id: relayId ?? null,
			request_id: requestId ?? null,
			created_at: isoTime(createdAt),
			valid_until: isoTime(createdAt + 30 * DAY),
			next_billing_date: isoTime(createdAt + 29 * DAY),
		};
	}

	private provide(company: string): void {
		if (this.provided.has(company)) return;
		this.provided.add(company);
		this.add(company, { name: 'Research', dynamic_proxy: 'US' }, 'active');
		this.add(company, { name: 'Marketplace', type: 'stealth' }, 'grace-period');
		this.add(company, { name: 'Old campaign' }, 'expired');
	}

	private add(
		company: string,
		fields: JsonObject,
		status: BrowserStatus,
		requestId?: string,
	): Browser {
		const browser: Browser = {
			id: String(this.nextId),
			company,
			status,
			requestId,
			createdAt: Date.now(),
			fields,
			fingerprint: randomUUID(),
			relayId: undefined,
		};
		this.nextId += 1;
		this.all.set(browser.id, browser);
		return browser;
	}
}
