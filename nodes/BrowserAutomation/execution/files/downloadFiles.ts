import type { IBinaryData } from 'n8n-workflow';

import type { ServiceClient } from '../../service/http/client';
import { CanceledError } from '../../service/errors';
import { filesOf, type RunFile } from '../../service/files/files';
import { isJsonObject, type JsonObject } from '../../service/json/json';
import type { ServiceRequest } from '../../service/http/request';
import { taskIdIn } from '../../service/runs/runApi';
import { anySignal, cancelSignalOf } from '../../transport/cancellation';
import { mapConcurrently } from '../../service/concurrency';
import { failureText } from '../failures';
import type { FileOrder } from './download';
import { storeFile } from './store';
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
	const signal = anySignal(stop.signal, reading.signal ?? cancelSignalOf(context));
	const orderOf = ordersOf({ ...reading, signal });
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
	const files = filesOf(run).filter(({ group }) => settings.groups.includes(group));
	const stored: Array<[property: string, binary: IBinaryData]> = [];
	const list = await mapConcurrently(files, AT_ONCE, async (file, index): Promise<JsonObject> => {
		const name = file.name ?? file.key;
		if (file.url === undefined) {
			return { name, error: failureText(node, missingFile(file.obstacle)) };
		}
		try {
			const { binary, ...facts } = await storeFile(orderOf(file, settings.maxBytes));
			const property = `${settings.prefix}${file.key}`;
			stored[index] = [property, binary];
			return { ...facts, property };
		} catch (error) {
			return { name, error: reasonOf(error) };
		}
	});
	// In the order of the run; `filter` leaves out the places of files that were not stored.
	return { list, binary: Object.fromEntries(stored.filter(() => true)) };
}

/** What makes the orders of a run's files: they share one renewal of the run's links. */
export function ordersOf({
	context,
	client,
	request,
	run,
	signal,
}: RunReading): (file: RunFile, maxBytes?: number) => FileOrder {
	const taskId = taskIdOf(run);
	let files = filesOf(run);
	let renewal: Promise<void> | undefined;
	const find = (key: string): RunFile | undefined => files.find((file) => file.key === key);
	const readAgain = async (): Promise<void> => {
		const body = await client.send(request);
		if (isJsonObject(body)) files = filesOf(body);
	};
	return (given, maxBytes = Infinity) => {
		const { key } = given;
		const file = find(key) ?? given;
		return {
			context,
			serviceUrl: client.baseUrl,
			taskId,
			file,
			renew: async () => {
				// Another file of the run may have renewed the links meanwhile.
				if (find(key)?.url === file.url) {
					renewal ??= readAgain().finally(() => (renewal = undefined));
					await renewal;
				}
				return find(key);
			},
			signal,
			maxBytes,
			sizeAdvice: 'Raise Max File Size (MB) under Options, or leave this type of file out.',
		};
	};
}

/** The ID of a run of V3 or a task of V2. */
export function taskIdOf(run: JsonObject): string {
	return taskIdIn(run) ?? '';
}
