import { describeLosses, describeRestart, describeTriggers } from './triggerScenarios';
import { useOwnN8n } from './useBench';

const { server, bench } = useOwnN8n({ version: '1.123' });

describe('the trigger in n8n 1.123', () => {
	describeTriggers(bench);
	describeLosses(bench);
	describeRestart(bench, server);
});
