import type { IBinaryData } from 'n8n-workflow';

import type { ServiceClient } from '../../service/http/client';
import { CanceledError, errorFacts, HelpfulError } from '../../service/errors';
import { filesOf, type RunFile } from '../../service/files/files';
import { isJsonObject, type JsonObject } from '../../service/json/json';
import type { ServiceRequest } from '../../service/http/request';
import { taskIdIn } from '../../service/runs/runApi';
import { cancelSignalOf } from '../../transport/cancellation';
import { forEachConcurrently } from '../concurrency';
import { failureText } from '../failures';
import { storeFile } from './binary';
import type { FileOrder } from './download';
import { missingFile } from '../../transport/downloadFailure';
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
export class FileError extends HelpfulError {
	constructor(
		message: string,
		advice: string,
		override readonly about: JsonObject,
	) {
		super(message, advice);
	}
}

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

/** How many files of a run are on their way at a time. */
const AT_ONCE = 4;

/**
 * Downloads the files of a run that the user wants, some at a time, into n8n's binary store. They are
 * listed in the order of the run.
 *
 * @throws FileError for the first link that gives no file, unless the others are wanted all the same;
 * CanceledError when the execution is stopped
 */
export async function downloadFilesOf(
	reading: RunReading,
	settings: FileSettings,
): Promise<AttachedFiles> {
	const { context, run } = reading;
	const node = context.getNode();
	const stop = new AbortController();
	const outer = reading.signal ?? cancelSignalOf(context);
	const signal = AbortSignal.any([stop.signal, ...(outer === undefined ? [] : [outer])]);
	const links = linksOf({ ...reading, signal });
	const files = filesOf(run).filter(({ group }) => settings.groups.includes(group));
	const list: JsonObject[] = [];
	const stored: Array<[property: string, binary: IBinaryData]> = [];
	/** What is listed in the place of a file. Stops all downloads, and throws the error, where the user wants that. */
	const reasonOf = (error: unknown): string => {
		const isStop = error instanceof CanceledError;
		const isLate = isStop && reading.signal?.aborted === true;
		if (settings.ifOneFails !== 'continue' || (isStop && !isLate)) {
			stop.abort();
			throw error;
		}
		return isLate ? 'There was no time left to download it' : failureText(node, error);
	};
	await forEachConcurrently(files.length, AT_ONCE, async (index) => {
		const file = files[index];
		if (file === undefined) return;
		const name = file.name ?? file.key;
		if (file.url === undefined) {
			list[index] = { name, error: failureText(node, missingFile(file.obstacle)) };
			return;
		}
		const order = links.orderFor(file, settings.maxBytes ?? Infinity);
		try {
			const { binary, fileName, mimeType, size } = await named(
				run,
				order,
				storeFile(context, order),
			);
			const property = `${settings.prefix}${file.key}`;
			list[index] = { name: fileName, size, mime_type: mimeType, property };
			stored[index] = [property, binary];
		} catch (error) {
			list[index] = { name, error: reasonOf(error) };
		}
	});
	// In the order of the run; `filter` leaves out the places of files that were not stored.
	return { list, binary: Object.fromEntries(stored.filter(() => true)) };
}

/** Gives each file an order that shares one renewal of the run's links with the others. */
export function linksOf({ context, client, request, run, signal }: RunReading): {
	orderFor(file: RunFile, maxBytes: number): FileOrder;
} {
	let files = filesOf(run);
	let renewal: Promise<void> | undefined;
	const find = (key: string): RunFile | undefined => files.find((file) => file.key === key);
	const taskId = taskIdOf(run);
	const readAgain = async (): Promise<void> => {
		const body = await client.send(request);
		if (isJsonObject(body)) files = filesOf(body);
	};
	const renew = async (used: RunFile): Promise<RunFile | undefined> => {
		// Another file of the run may have renewed the links meanwhile.
		if (find(used.key)?.url === used.url) {
			renewal ??= readAgain().finally(() => (renewal = undefined));
			await renewal;
		}
		return find(used.key);
	};
	return {
		orderFor: (file, maxBytes) => {
			const latest = find(file.key) ?? file;
			return {
				context,
				serviceUrl: client.baseUrl,
				file: latest,
				renew: async () => await renew(latest),
				signal,
				maxBytes,
				sizeAdvice: 'Raise Max File Size (MB) under Options, or leave this type of file out.',
				fallbackName: `${taskId}_${file.key}`,
			};
		},
	};
}

/**
 * Waits for work on a file, and names file and run in its failure.
 *
 * @throws FileError or CanceledError
 */
export async function named<T>(run: JsonObject, order: FileOrder, work: Promise<T>): Promise<T> {
	try {
		return await work;
	} catch (error) {
		throw error instanceof CanceledError ? error : toFileError(run, order, error);
	}
}

function toFileError(
	run: JsonObject,
	{ file, fallbackName }: FileOrder,
	error: unknown,
): FileError {
	const name = file.name ?? fallbackName;
	const reason = error instanceof Error ? error.message : String(error);
	const advice =
		error instanceof HelpfulError
			? error.advice
			: 'Check that n8n’s store for binary data has room, then try again.';
	const about = { task_id: taskIdOf(run), file: name };
	return new FileError(
		`The file "${name}" of run ${about.task_id} could not be downloaded: ${reason}`,
		advice,
		{ ...about, ...errorFacts(error) },
	);
}

/** The ID of a run of V3 or a task of V2. */
export function taskIdOf(run: JsonObject): string {
	return taskIdIn(run) ?? '';
}
