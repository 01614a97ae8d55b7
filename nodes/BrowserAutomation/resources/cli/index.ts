import { resource } from '../operation';
import { getLogUploadUrl } from './getLogUploadUrl';
import { sendFeedback } from './sendFeedback';
import { track } from './track';
import { trackBatch } from './trackBatch';

export const cli = resource({
	value: 'cli',
	name: 'CLI',
	description: 'Send events, feedback and logs as the service’s command-line client does',
	operations: { track, trackBatch, getLogUploadUrl, sendFeedback },
});
