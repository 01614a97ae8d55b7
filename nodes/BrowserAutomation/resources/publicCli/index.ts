import { resource } from '../operation';
import { createApiKeySession } from './createApiKeySession';
import { getBrowserStartConfig } from './getBrowserStartConfig';
import { getLogUploadUrl } from './getLogUploadUrl';
import { getPackages } from './getPackages';
import { sendFeedback } from './sendFeedback';
import { track } from './track';
import { trackBatch } from './trackBatch';

/** What works without an API key: openly, or signed (docs/service.md: Authentication). */
export const publicCli = resource({
	value: 'publicCli',
	name: 'Public CLI',
	description: 'What the service’s command-line client can do without an API key',
	operations: {
		createApiKeySession,
		getPackages,
		getBrowserStartConfig,
		track,
		trackBatch,
		getLogUploadUrl,
		sendFeedback,
	},
});
