import { isObject, textAt, type JsonObject } from '../../dev/sandbox/json';
import { entriesOf } from './lists';
import type { Service } from './service';

/** Before this moment, in milliseconds, there was no such service: what is smaller counts seconds. */
const EARLIEST = Date.UTC(2015, 0);

/** Asks for the first byte of each file of a run, without the key, while its links are good. */
export async function checkFiles(service: Service, run: JsonObject): Promise<void> {
	const output = isObject(run['output_files']) ? Object.values(run['output_files']) : [];
	const files = [...entriesOf(output), ...entriesOf(run['download_files'])];
	if (files.length === 0) return;
	const expiry = run['files_expires_at'];
	const name = service.nameOf('run.get');
	if (typeof expiry === 'number' && expiry < EARLIEST) {
		service.report.differ(name, '`files_expires_at` is no milliseconds since 1970', 'filesExpiry');
	} else if (typeof expiry === 'number' && expiry < Date.now()) {
		service.report.see('Files', 'whose links have expired');
		return;
	}
	for (const file of files) await checkFile(service, file);
}

async function checkFile({ report }: Service, file: JsonObject): Promise<void> {
	const link = textAt(file, 'download_url') ?? '';
	if (!URL.canParse(link)) return;
	const { status, headers, body } = await fetch(link, { headers: { range: 'bytes=0-0' } });
	await body?.cancel();
	if (status !== 200 && status !== 206) {
		report.differ('A file', `is refused with status ${status}, without the key`, 'files');
		return;
	}
	const said = /\/(\d+)$/.exec(headers.get('content-range') ?? '')?.[1];
	const size = status === 206 ? said : headers.get('content-length');
	if (size !== undefined && size !== null && Number(size) !== file['file_size']) {
		report.differ('A file', 'has another size than its `file_size`', 'files');
	}
	report.see('Files', `status ${status} to a range`);
	for (const header of ['content-type', 'content-disposition', 'accept-ranges', 'etag']) {
		const value = headers.get(header)?.split(/[;"]/)[0]?.trim();
		if (value !== undefined)
			report.see('Headers of files', value === '' ? header : `${header}: ${value}`);
	}
}
