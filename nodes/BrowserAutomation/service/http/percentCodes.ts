/** How often codes within codes are resolved. Nobody encodes a path more often without ill intent. */
const MOST_ROUNDS = 4;

/**
 * A text with its percent codes resolved, as a program might read it that decodes more than once;
 * undefined when they are nested too deep to tell.
 */
export function fullyDecoded(text: string): string | undefined {
	let current = text;
	for (let round = 0; round < MOST_ROUNDS; round++) {
		// "%25" stands for "%", so that "%252e" and "%25252e" are "." in the end.
		const decoded = current.replace(/%(?:25)*([0-9a-f]{2})/gi, (_, code: string) =>
			String.fromCharCode(parseInt(code, 16)),
		);
		if (decoded === current) return current;
		current = decoded;
	}
	return undefined;
}
