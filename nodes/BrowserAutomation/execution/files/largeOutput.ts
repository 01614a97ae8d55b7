import { filesOf } from '../../service/files/files';
import { isJsonObject, type JsonObject, type JsonValue } from '../../service/json/json';
import { JsonReader } from '../../service/json/jsonStream';
import { MAX_ANSWER_BYTES } from '../../service/http/request';
import { outputOf } from '../../service/runs/runFields';
import { runApiOf, V2_TASKS } from '../../service/runs/runApi';
import { takeFile } from './download';
import { DownloadFailure } from '../../transport/downloadFailure';
import { ordersOf, type RunReading } from './downloadFiles';

/**
 * The run with its output. An output of more than 5 MB is not in the run but in its JSON file
 * (docs/service.md: Run detail); that is read as it comes in.
 *
 * @throws FileError when the file cannot be had or is no JSON; CanceledError
 */
export async function withWholeOutput(reading: RunReading): Promise<JsonObject> {
	const { run } = reading;
	if (outputOf(run) !== undefined) return run;
	const file = filesOf(run).find(({ key }) => key === 'json');
	if (file === undefined) return run;
	const order = {
		...ordersOf(reading)(file, reading.client.maxBytes ?? MAX_ANSWER_BYTES),
		sizeAdvice:
			'Raise Max Answer Size (MB) under Options if this n8n has the memory for it, or set Output to Raw and download the file.',
	};
	const output = await takeFile(order, async ({ bytes }) => await readJson(bytes));
	if (runApiOf(run) !== V2_TASKS) return { ...run, output };
	return { ...run, output: { ...(isJsonObject(run.output) && run.output), string: output } };
}

async function readJson(bytes: AsyncIterable<Uint8Array>): Promise<JsonValue> {
	const decoder = new TextDecoder();
	const reader = new JsonReader();
	try {
		for await (const part of bytes) reader.write(decoder.decode(part, { stream: true }));
		reader.write(decoder.decode());
		return reader.end();
	} catch (error) {
		throw error instanceof SyntaxError ? notJson(error) : error;
	}
}

function notJson({ message }: SyntaxError): DownloadFailure {
	return new DownloadFailure(
		`it is not JSON: ${message}`,
		'none',
		'Set Output to Raw, and download the file to see what is in it.',
	);
}
