import type { PackedPackage } from '../../n8n/packedPackage';
import { isRecord, textOf } from '../../n8n/json';
import { N8nClient } from '../../n8n/client';
import { Session } from '../../n8n/session';

const variable = 'N8N_SHARED_TEST_SERVER';

/** Tells the test files about the server that runs for all of them. */
export function announceSharedServer(
	server: { url: string; cookie: string; folder: string },
	packed: PackedPackage,
): void {
	const { name, archive } = packed;
	process.env[variable] = JSON.stringify({ ...server, name, archive });
}

function readAnnouncement(): unknown {
	const text = process.env[variable];
	if (text === undefined) throw new Error('Run these tests with: npm run test:n8n');
	const announcement: unknown = JSON.parse(text);
	return isRecord(announcement) ? announcement : {};
}

/** A client of the shared n8n 2.41, logged in as its owner. */
export function sharedClient(): N8nClient {
	return new N8nClient(new Session(sharedUrl(), textOf(readAnnouncement(), 'cookie')));
}

/** Where the shared n8n is called, without a path. */
export function sharedUrl(): string {
	return textOf(readAnnouncement(), 'url');
}

/** Where the shared n8n has its data. */
export function sharedFolder(): string {
	return textOf(readAnnouncement(), 'folder');
}

/** The package under test, for a server of one's own. */
export function packedPackage(): PackedPackage {
	const announcement = readAnnouncement();
	return {
		name: textOf(announcement, 'name'),
		archive: textOf(announcement, 'archive'),
		remove: () => {},
	};
}
