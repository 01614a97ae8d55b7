import { describeLosses, describeRestart } from './triggerScenarios';
import { useOwnN8n } from './useBench';

const { server, bench } = useOwnN8n();

describeLosses(bench);

describeRestart(bench, server);
