import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { PROJECT } from './markdown';
import { generatedPages } from './pages';

/**
 * Writes what of the documentation is made of the code. With `check` it writes nothing, lists the pages that are not
 * current, and ends with the status 1 if there are any.
 */
async function main([step]: string[]): Promise<void> {
	const stale = [...(await generatedPages())].filter(([file, text]) => textOf(file) !== text);
	for (const [file, text] of stale) {
		console.log(file);
		if (step === 'check') continue;
		mkdirSync(path.dirname(path.join(PROJECT, file)), { recursive: true });
		writeFileSync(path.join(PROJECT, file), text);
	}
	if (step === 'check' && stale.length > 0) process.exitCode = 1;
}

function textOf(file: string): string | undefined {
	const place = path.join(PROJECT, file);
	return existsSync(place) ? readFileSync(place, 'utf8') : undefined;
}

void main(process.argv.slice(2));
