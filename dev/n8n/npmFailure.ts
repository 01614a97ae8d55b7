/** What a failed npm command wanted to do. */
export type NpmPurpose = 'download' | 'compile';

/**
 * Turns what npm printed before it failed into a message for people: what happened, and what to do.
 * @param subject what was being installed, for example "n8n 2.41"
 */
export function explainNpmFailure(subject: string, purpose: NpmPurpose, output: string): string {
	const lines = output.split('\n').map((line) => line.trim());
	if (/\bENOSPC\b|no space left on device/i.test(output)) {
		return `The disk is full, so ${subject} could not be installed. Free about 4 GB, or set N8N_BROWSER_AUTOMATION_CACHE to a folder on another disk, and start again.`;
	}
	if (purpose === 'compile') {
		const cause = lines.find((line) =>
			/gyp ERR! (stack )?Error|not found: make|find Python/.test(line),
		);
		return [
			`The database module (sqlite3) of ${subject} could not be compiled. Install python3, make and g++ (Debian, Ubuntu: apt-get install python3 make g++; macOS: xcode-select --install) and start again.`,
			...(cause === undefined ? lastErrors(lines) : [cause]),
		].join('\n');
	}
	const missing = failedDownload(lines);
	const named = missing === undefined ? '' : ` (${missing})`;
	const advice = /\bETARGET\b/.test(output)
		? 'The npm registry does not have it: choose another version, or start again when it has.'
		: 'Check the connection to the npm registry and start again: what is already downloaded is kept.';
	return [`${subject} could not be downloaded${named}. ${advice}`, ...lastErrors(lines)].join('\n');
}

/** The package or address that npm names in its error, where it names one. */
function failedDownload(lines: string[]): string | undefined {
	for (const line of lines) {
		const named =
			/npm (?:error|ERR!) .*(?:request to|GET|No matching version found for|notarget .* for)\s+(\S+)/.exec(
				line,
			);
		if (named?.[1] !== undefined) return named[1].replace(/[.,]$/, '');
	}
	return undefined;
}

/** The few lines that say what went wrong, without npm's dump of its error object. */
function lastErrors(lines: string[]): string[] {
	const telling = lines.filter((line) =>
		/^npm (error|ERR!) (code|errno|network|notarget|enoent|40\d|gyp ERR!)/.test(line),
	);
	return [...new Set(telling)].slice(0, 5);
}
