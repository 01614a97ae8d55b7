import type { IBinaryData } from 'n8n-workflow';

import { attempt } from '../../service/attempt';
import type { ServiceClient } from '../../service/client';
import { CanceledError, HelpfulError, ServiceError } from '../../service/errors';
import { filesOf, type RunFile } from '../../service/files';
import { isJsonObject, textAt, type JsonObject } from '../../service/json';
import type { ServiceRequest } from '../../service/request';
import { storeFile } from './binary';
import type { FileOrder } from './download';
import { DownloadFailure, missingFile } from '../../transport/downloadFailure';
import type { FileKeeper } from '../../transport/fileRequest';
import type { FileSettings } from '../../fields/files';

/** A run that was read, and how to read it again. */
export interface RunReading {
	context: FileKeeper;
	client: ServiceClient;
	/** The request that the run was read with. */
	request: ServiceRequest;
	run: JsonObject;
	/** Raised when its files must not be waited for any longer. */
	signal?: AbortSignal;
}

/** A file of a run could not be downloaded. The message names both. */
export class FileError extends HelpfulError {}

/** The files of a run as they become part of an output item. */
export interface AttachedFiles {
	/**
	 * One for each file: its name, size, MIME type, and the binary field that holds it; or its name,
	 * and why there is none.
	 */
	list: JsonObject[];
	/** By the name of the binary field. */
	binary: Record<string, IBinaryData>;
}

/**
 * Downloads the files of a run that the user wants, one after another, into n8n's binary store.
 *
 * @param ifOneFails whether to go on with the others, and tell in the list what went wrong
 * @throws FileError for the first link that gives no file, CanceledError when the execution is
 * stopped; neither when it goes on
 */
export async function downloadFilesOf(
	reading: RunReading,
	settings: FileSettings,
	ifOneFails: 'fail' | 'goOn' = 'fail',
): Promise<AttachedFiles> {
	const links = linksOf(reading);
	const list: JsonObject[] = [];
	const fields: Array<[string, IBinaryData]> = [];
	for (const file of filesOf(reading.run).filter(({ group }) => settings.groups.includes(group))) {
		if (file.url === undefined) {
			list.push({ name: file.name ?? file.key, error: missingFile(file.obstacle).message });
			continue;
		}
		const order = links.orderFor(file, settings.maxBytes ?? Infinity);
		const stored = await attempt(
			async () => await named(reading.run, order, async () => storeFile(reading.context, order)),
		);
		if (!stored.ok) {
			if (ifOneFails === 'fail') throw stored.error;
			list.push({ name: file.name ?? file.key, error: reasonOf(stored.error) });
			continue;
		}
		const { binary, fileName, mimeType, size } = stored.value;
		const property = `${settings.prefix}${file.key}`;
		fields.push([property, binary]);
		list.push({ name: fileName, size, mime_type: mimeType, property });
	}
	return { list, binary: Object.fromEntries(fields) };
}

function reasonOf(error: unknown): string {
	if (error instanceof CanceledError) return 'There was no time left to download it';
	return error instanceof Error ? error.message : String(error);
}

/** Gives each file an order that shares one renewal of the run's links with the others. */
export function linksOf({ context, client, request, run, signal }: RunReading): {
	orderFor(file: RunFile, maxBytes: number): FileOrder;
} {
	let files = filesOf(run);
	const find = (key: string): RunFile | undefined => files.find((file) => file.key === key);
	const taskId = taskIdOf(run);
	return {
		orderFor: (file, maxBytes) => ({
			context,
			serviceUrl: client.baseUrl,
			file: find(file.key) ?? file,
			renew: async () => {
				const body = await client.send(request);
				if (isJsonObject(body)) files = filesOf(body);
				return find(file.key);
			},
			signal,
			maxBytes,
			fallbackName: `${taskId}_${file.key}`,
		}),
	};
}

/**
 * Does the work on a file and names file and run in its failure.
 *
 * @throws FileError
 */
export async function named<T>(
	run: JsonObject,
	{ file, fallbackName }: FileOrder,
	work: () => Promise<T>,
): Promise<T> {
	const done = await attempt(work);
	if (done.ok) return done.value;
	const { error } = done;
	if (error instanceof CanceledError || error instanceof ServiceError) throw error;
	const what = `The file "${file.name ?? fallbackName}" of run ${taskIdOf(run)}`;
	const reason = error instanceof Error ? error.message : String(error);
	throw new FileError(
		`${what} could not be downloaded: ${reason}`,
		error instanceof DownloadFailure
			? error.advice
			: 'Check that n8n’s store for binary data has room, then try again.',
	);
}

/** The ID of a run of V3 or a task of V2. */
export function taskIdOf(run: JsonObject): string {
	return textAt(run, 'task_id') ?? textAt(run, 'id') ?? '';
}
