import { placeOf, type Assumption } from './assumptions';

interface Difference {
	text: string;
	assumption: Assumption;
	times: number;
}

/** What was found, on a page without secrets: places, types and words of the interface, no values of the account. */
export class Report {
	private readonly found = new Map<string, Difference>();

	private readonly seen = new Map<string, Set<string>>();

	private readonly skipped = new Set<string>();

	/** Notes that something is not as the package assumes. */
	differ(where: string, what: string, assumption: Assumption): void {
		const text = `${where} ${what}`;
		const known = this.found.get(text);
		this.found.set(text, { text, assumption, times: (known?.times ?? 0) + 1 });
	}

	/** Notes what the interface leaves open. */
	see(topic: string, what: string): void {
		this.seen.set(topic, (this.seen.get(topic) ?? new Set()).add(what));
	}

	/** Notes what could not be checked. */
	skip(what: string): void {
		this.skipped.add(what);
	}

	/** The differences, a line each. */
	get differences(): string[] {
		return [...this.found.values()].map(({ text, assumption, times }) => {
			const often = times > 1 ? ` (${times} times)` : '';
			return `${text}${often}; otherwise: ${placeOf(assumption)}`;
		});
	}

	/** What was seen of a topic. */
	about(topic: string): string[] {
		return [...(this.seen.get(topic) ?? [])];
	}

	/** The page, in Markdown, with a secret taken out wherever the service gave it back. */
	page(title: string, secret: string): string {
		const { differences } = this;
		const seen = [...this.seen].map(([topic, what]) => `${topic}: ${[...what].join(', ')}`);
		return [
			`# ${title}`,
			...section(`${differences.length} differences`, differences),
			...section('Not checked', [...this.skipped]),
			...section('Seen', seen),
			'',
		]
			.join('\n')
			.replaceAll(secret, '(key)');
	}
}

function section(title: string, lines: string[]): string[] {
	return lines.length === 0
		? ['', `## ${title}`, '', 'None.']
		: ['', `## ${title}`, '', ...lines.map((line) => `- ${line}`)];
}
