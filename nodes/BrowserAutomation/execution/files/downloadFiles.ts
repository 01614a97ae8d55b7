import type { IBinaryData } from 'n8n-workflow';

import type { FileSettings } from '../../fields/files';
import { attempt } from '../../service/attempt';
import { mapConcurrently } from '../../service/concurrency';
import { CanceledError } from '../../service/errors';
import { filesOf, isSameFile, type RunFile } from '../../service/files/files';
import { limitsOf, type ServiceClient } from '../../service/http/client';
import type { ServiceRequest } from '../../service/http/request';
import {
	isJsonObject,
	parseJson,
	textAt,
	type JsonObject,
	type JsonValue,
} from '../../service/json/json';
import { JsonReader } from '../../service/json/jsonStream';
import { hasOutput, isBegun, jsonIn, outputOf, withOutput } from '../../service/runs/botOutput';
import { isUnsuccessful, taskIdIn, toRunStatus } from '../../service/runs/runApi';
import { momentOf } from '../../service/schema/dateTime';
import { isByteStream, type ByteStream } from '../../transport/answer';
import { anySignal, cancelSignalOf, pause, delay } from '../../transport/cancellation';
import { DownloadFailure } from '../../transport/downloadFailure';
import type { FileKeeper } from '../../transport/fileRequest';
import { failureText } from '../failures';
import { takeFile, type DownloadRequest, type OpenFile } from './download';

/** A run, and how to read it again. */
export interface RunReading {
	context: FileKeeper;
	client: ServiceClient;
	request: ServiceRequest;
	run: JsonObject;
	/** Ends the wait for its files. By default the signal of the execution, which stops it. */
	signal?: AbortSignal;
}

/** The files of a run for an output item. */
export interface AttachedFiles {
	/**
	 * For each file `name`, `size` in bytes, `mime_type`, and `property`, the name of its binary field. For a
	 * missing file `name` and `error`.
	 */
	list: JsonObject[];
	/** By the name of the binary field. */
	binary: Record<string, IBinaryData>;
}

/** How many files of a run are downloaded at once. */
const AT_ONCE = 4;

/**
 * Downloads the chosen files of a run into n8n's binary store. Lists them in the order of the run.
 *
 * @throws HelpfulError for the first download that fails, unless the user wants the other files all the
 * same; CanceledError when the execution is stopped
 */
export async function downloadFilesOf(
	reading: RunReading,
	{ groups, prefix, ifOneFails, maxBytes }: FileSettings,
): Promise<AttachedFiles> {
	const { context, run, signal = cancelSignalOf(context) } = reading;
	const node = context.getNode();
	const stop = new AbortController();
	const requestFor = downloadRequestsOf({ ...reading, signal: anySignal(stop.signal, signal) });
	const files = filesOf(run).filter(({ group }) => groups.includes(group));
	const stored: Array<[property: string, binary: IBinaryData]> = [];
	const list = await mapConcurrently(files, AT_ONCE, async (file, index): Promise<JsonObject> => {
		const name = file.name ?? file.key;
		const kept = await attempt(storeFile(requestFor(file, maxBytes)));
		if (kept.ok) {
			const property = `${prefix}${file.key}`;
			stored[index] = [property, kept.value.binary];
			return { ...kept.value.facts, property };
		}
		const isStop = kept.error instanceof CanceledError;
		const isLate = isStop && reading.signal?.aborted === true;
		if (ifOneFails !== 'continue' || (isStop && !isLate)) {
			stop.abort();
			throw kept.error;
		}
		const reason = failureText(node, kept.error);
		return { name, error: isLate ? 'There was no time left to download it' : reason };
	});
	// `filter` removes the gaps of files that were not stored.
	return { list, binary: Object.fromEntries(stored.filter(() => true)) };
}

/** Streams a file into n8n's binary store. An incomplete file is not stored. @throws as `takeFile` */
async function storeFile(wanted: DownloadRequest) {
	const { helpers } = wanted.context;
	return await takeFile(wanted, async ({ fileName, mimeType, sample, bytes, size }) => {
		const stream = toByteStream(bytes, sample);
		const binary = await helpers.prepareBinaryData(stream, fileName, mimeType);
		return { binary, facts: { name: fileName, size: size(), mime_type: binary.mimeType } };
	});
}

/** How many bytes may wait for n8n's store. */
const READ_AHEAD_BYTES = 1024 ** 2;

/**
 * A stream for n8n's binary store. Community nodes may not import Node's stream module, so the class comes
 * from a stream that n8n made.
 */
function toByteStream(bytes: AsyncIterable<Uint8Array>, { constructor }: ByteStream): ByteStream {
	const from = 'from' in constructor ? constructor.from : undefined;
	const options = { objectMode: false, highWaterMark: READ_AHEAD_BYTES };
	const stream: unknown =
		typeof from === 'function' ? from.call(constructor, bytes, options) : undefined;
	if (isByteStream(stream)) return stream;
	throw new Error('This n8n gives streams of an unknown kind');
}

/** The pauses before reading a finished run again that has neither output nor files yet, in milliseconds. */
const OUTPUT_LAGS = [1_000, 2_000, 3_000];

/** How long after its end a run's output may be late, in milliseconds. Clocks may differ by minutes. */
const LAGS_UNTIL_MS = 600_000;

/**
 * Waits for a late output: reads a run that has just finished again for a few seconds, while it has neither
 * output nor files.
 *
 * @throws as reading the run
 */
export async function withLateOutput<T extends RunReading>(reading: T): Promise<T> {
	const { context, client, request, run, signal } = reading;
	const isMissing = (read: JsonObject): boolean => !hasOutput(read) && filesOf(read).length === 0;
	const isLongAgo = Date.now() - momentOf(textAt(run, 'finished_at')) > LAGS_UNTIL_MS;
	if (run.status !== 'finished' || isLongAgo || !isMissing(run)) return reading;
	for (const lag of OUTPUT_LAGS) {
		const waited = await attempt(pause(lag, signal ?? cancelSignalOf(context)));
		if (!waited.ok && signal === undefined) throw waited.error;
		if (!waited.ok) break;
		const again = await client.send(request);
		if (isJsonObject(again) && !isMissing(again)) return { ...reading, run: { ...run, ...again } };
	}
	return reading;
}

/**
 * The run with its output parsed. An output above 5 MB is in the run's JSON file instead of the run; a
 * smaller one may be, too (docs/service.md: Run detail). One that begins like JSON but is none gives way to the
 * file, if that can be read. The file is parsed while it is downloaded, unless the run failed or was canceled.
 *
 * @throws HelpfulError where there is no output, and the file cannot be downloaded or is not JSON; CanceledError
 */
export async function withWholeOutput(reading: RunReading): Promise<JsonObject> {
	const { run, client } = reading;
	const output = outputOf(run);
	const inRun = output === undefined ? run : withOutput(run, output);
	const file = filesOf(run).find(({ key }) => key === 'json');
	const isWhole = output !== undefined && !isBegun(output);
	if (isWhole || file === undefined || isUnsuccessful(toRunStatus(run.status))) return inRun;
	const wanted = {
		...downloadRequestsOf(reading)(file, limitsOf(client).maxBytes),
		sizeAdvice:
			"Raise 'Max Response Size (MB)' in the credential if this n8n has the memory for it, or set 'Output' to 'Raw' and download the file.",
	};
	const read = await attempt(
		takeFile(wanted, async (file) => await readJsonFile(file, wanted.maxBytes)),
	);
	if (read.ok) return withOutput(run, read.value);
	if (output === undefined || read.error instanceof CanceledError) throw read.error;
	return inRun;
}

/** The part of the largest file that is parsed as it comes where its size is not known. Rows may take many times the memory of their text. */
const READ_AT_ONCE = 1 / 8;

/** How much of the rest is parsed before other work has its turn, in bytes. */
const BLOCK_BYTES = 1024 ** 2;

/**
 * Parses a JSON file, in any form of an output (`outputOf`), as it comes. Of a file that may never end only the first
 * part is: the rest is kept as bytes until the file ends, so that it takes at most twice its bound of memory.
 */
async function readJsonFile(
	{ bytes, announced }: Pick<OpenFile, 'bytes' | 'announced'>,
	maxBytes: number,
): Promise<JsonValue> {
	const atOnce = Math.max(announced, maxBytes * READ_AT_ONCE);
	const decoder = new TextDecoder();
	const reader = new JsonReader();
	const read = (part: Uint8Array): void => reader.write(decoder.decode(part, { stream: true }));
	const blocks: Uint8Array[] = [];
	let parts: Uint8Array[] = [];
	let [size, waiting] = [0, 0];
	try {
		for await (const part of bytes) {
			size += part.length;
			if (size <= atOnce) read(part);
			else {
				parts.push(part);
				waiting += part.length;
				if (waiting < BLOCK_BYTES) continue;
				blocks.push(Buffer.concat(parts));
				[parts, waiting] = [[], 0];
			}
		}
		for (let block = blocks.shift(); block !== undefined; block = blocks.shift()) {
			read(block);
			await delay(0);
		}
		read(Buffer.concat(parts));
		reader.write(decoder.decode());
		return reader.end((text) => jsonIn(text) ?? (/^\s*[[{"]/.test(text) ? parseJson(text) : text));
	} catch (error) {
		const advice = "Set 'Output' to 'Raw', and download the file to see what is in it.";
		throw error instanceof SyntaxError
			? new DownloadFailure(`it is not JSON: ${error.message}`, 'none', advice)
			: error;
	}
}

/** Gives a function that makes download requests for files of a run. They share the renewal of its links. */
function downloadRequestsOf(reading: RunReading) {
	const { context, client, request, run, signal = cancelSignalOf(context) } = reading;
	let files = filesOf(run);
	let renewal: Promise<void> | undefined;
	const find = (given: RunFile): RunFile | undefined =>
		files.find((file) => isSameFile(given, file));
	const readAgain = async (): Promise<void> => {
		const body = await client.send(request);
		if (isJsonObject(body)) files = filesOf(body);
	};
	return (given: RunFile, maxBytes = Infinity): DownloadRequest => {
		const file = find(given) ?? given;
		return {
			context,
			client,
			taskId: taskIdIn(run) ?? '',
			file,
			renew: async (url) => {
				// Another file of the run may have renewed the links meanwhile.
				const isNewer = find(given)?.url !== url;
				if (!isNewer) await (renewal ??= readAgain().finally(() => (renewal = undefined)));
				return find(given);
			},
			signal,
			maxBytes,
			sizeAdvice: "Raise 'Max File Size (MB)' under 'Files', or leave this type of file out.",
		};
	};
}
