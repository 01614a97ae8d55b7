import { describeLosses, describeRestart, describeTriggers } from './triggerScenarios';
import { useOwnN8n } from './useBench';

/** One of them has a Code node. */
const environment = { N8N_RUNNERS_MODE: 'internal' };

const { server, bench } = useOwnN8n({ version: '1.123', environment });

describe('the trigger in n8n 1.123', () => {
	describeTriggers(bench);
	describeLosses(bench);
	describeRestart(bench, server);
});
