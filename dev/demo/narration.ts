/** Tells on the console what happens, each line with the seconds since the start. */
export class Narration {
	private start = Date.now();

	private readonly said = new Set<string>();

	/** Counts the seconds from now on. */
	restart(): void {
		this.start = Date.now();
	}

	headline(text: string): void {
		console.log(`\n${text}`);
	}

	say(text: string): void {
		const seconds = ((Date.now() - this.start) / 1_000).toFixed(1).padStart(6);
		console.log(`${seconds} s  ${text}`);
	}

	/** Tells something only the first time. */
	sayOnce(text: string): void {
		if (this.said.has(text)) return;
		this.said.add(text);
		this.say(text);
	}
}
