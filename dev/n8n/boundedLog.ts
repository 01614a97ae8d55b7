import { closeSync, mkdirSync, openSync, renameSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';

const maxBytesPerFile = 10 * 1024 * 1024;
const tailBytes = 8 * 1024;

/** What a process prints, kept in a file of at most 10 MB and one predecessor (`.1`). */
export class BoundedLog {
	private file: number;

	private bytes = 0;

	private recent = Buffer.alloc(0);

	constructor(readonly path: string) {
		mkdirSync(dirname(path), { recursive: true });
		this.file = openSync(path, 'a');
	}

	write(chunk: Buffer): void {
		if (this.bytes + chunk.length > maxBytesPerFile) {
			closeSync(this.file);
			renameSync(this.path, `${this.path}.1`);
			this.file = openSync(this.path, 'w');
			this.bytes = 0;
		}
		writeSync(this.file, chunk);
		this.bytes += chunk.length;
		this.recent = Buffer.concat([this.recent, chunk]).subarray(-tailBytes);
	}

	/** The last lines, for a message about what went wrong. */
	tail(): string {
		return this.recent.toString('utf8').trim().split('\n').slice(-30).join('\n');
	}
}
