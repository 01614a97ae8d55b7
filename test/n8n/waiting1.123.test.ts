import { FaultTable } from './faultTable';
import { WAITING_CASES } from './waitingCases';
import { FAULT_CASES } from './waitingFaults';
import { RACES } from './waitingRaces';
import { testCases } from './waitingScene';
import { openWaitingServer } from './waitingServer';

describe('waiting in n8n 1.123', () => {
	const table = new FaultTable('Fault, n8n 1.123');
	const stage = openWaitingServer('1.123', table);

	testCases('1.123', [...WAITING_CASES, ...RACES, ...FAULT_CASES], stage);
});
