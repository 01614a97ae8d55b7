import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

const LINK_TTL_MS = 3_600_000;

/** Download links for files: signed, and good for a while only. */
export class FileLinks {
	/** Where the files are served; known once that server listens. */
	origin = '';
	private readonly secret = randomBytes(16);

	/** When links made now expire, in epoch milliseconds. */
	expiry(): number {
		return Date.now() + LINK_TTL_MS;
	}

	link(taskId: string, fileName: string, expiresAt: number): string {
		const path = `/files/${taskId}/${encodeURIComponent(fileName)}`;
		const signature = this.sign(taskId, fileName, String(expiresAt));
		return `${this.origin}${path}?expires=${expiresAt}&signature=${signature}`;
	}

	/** Whether a link is genuine and still good. */
	accepts(taskId: string, fileName: string, expires: string, signature: string): boolean {
		const expected = Buffer.from(this.sign(taskId, fileName, expires));
		const given = Buffer.from(signature);
		const genuine = expected.length === given.length && timingSafeEqual(expected, given);
		return genuine && Number(expires) > Date.now();
	}

	private sign(taskId: string, fileName: string, expires: string): string {
		return createHmac('sha256', this.secret)
			.update(`${taskId}\n${fileName}\n${expires}`)
			.digest('hex');
	}
}
