import { FaultTable } from './faultTable';
import { describeRestarts } from './waitingRestarts';
import { openWaitingServer } from './waitingServer';

describe('waiting while n8n 2.41 is restarted', () => {
	describeRestarts(openWaitingServer('2.41', new FaultTable('Restart, n8n 2.41')));
});
