import { sharedClient } from './sharedServer';
import { describeWaiting } from './waitingCases';

describe('waiting in n8n 2.41', () => {
	describeWaiting(() => {
		const client = sharedClient();
		return { client, webhookUrl: client.session.url, failsAtLimit: true };
	});
});
