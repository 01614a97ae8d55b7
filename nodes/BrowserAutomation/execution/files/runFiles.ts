import { ServiceError } from '../../service/errors';
import { isJsonObject } from '../../service/json';
import { keepInputFilesOption, readDownloadSettings } from '../../fields/files';
import { downloadFilesOf } from './downloadFiles';
import { withInputFiles } from './inputFiles';
import type { Handler } from '../operation';
import { fileItem } from '../runResult';

/** One item with the files of a run as binary fields. A run without files gives an empty list. */
export const runFiles: Handler = async (request, { client, context, values, itemIndex }) => {
	const settings = readDownloadSettings(values);
	const run = await client.send(request);
	if (!isJsonObject(run)) {
		throw new ServiceError(
			'The service’s answer is not a run',
			'Check that the Base URL of the credential is the service’s API, then try again.',
		);
	}
	const files = await downloadFilesOf({ context, client, request, run }, settings);
	const results = [fileItem(run, files)];
	return withInputFiles(context, itemIndex, results, values(keepInputFilesOption));
};
