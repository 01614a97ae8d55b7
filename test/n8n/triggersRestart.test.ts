import { describeLosses, describeRestart } from './triggerScenarios';
import { useOwnN8n } from './useBench';

const { server, bench } = useOwnN8n();

// In this n8n of its own a flood keeps no other test waiting.
describeLosses(bench, 150);

describeRestart(bench, server);
