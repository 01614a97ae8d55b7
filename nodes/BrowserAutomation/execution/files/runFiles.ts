import { keepInputFilesOption, readDownloadSettings } from '../../fields/files';
import { downloadFilesOf } from './downloadFiles';
import { asObject } from '../handlers';
import { withInputFiles } from './inputFiles';
import type { Handler } from '../operation';
import { fileItem } from '../runResult';

/** One item with the files of a run as binary fields. A run without files gives an empty list. */
export const runFiles: Handler = async (request, { client, context, values, itemIndex }) => {
	const settings = readDownloadSettings(values);
	const run = asObject(await client.send(request));
	const files = await downloadFilesOf({ context, client, request, run }, settings);
	const results = [fileItem(run, files)];
	return withInputFiles(context, itemIndex, results, values(keepInputFilesOption));
};
