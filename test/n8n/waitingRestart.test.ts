import { newestN8n } from '../../n8n/versions';
import { FaultTable } from './faultTable';
import { describeCrash, describeRestarts } from './waitingRestarts';
import { openWaitingServer } from './waitingServer';

describe(`waiting while n8n ${newestN8n()} is restarted`, () => {
	const connect = openWaitingServer(newestN8n(), new FaultTable(`Restart, n8n ${newestN8n()}`));
	describeCrash(connect);
	describeRestarts(connect);
});
