import { FaultTable } from './faultTable';
import { sharedClient } from './sharedServer';
import { WAITING_CASES } from './waitingCases';
import { FAULT_CASES } from './waitingFaults';
import { RACES } from './waitingRaces';
import { testCases } from './waitingScene';

const table = new FaultTable('Fault, n8n 2.41');

describe('waiting in n8n 2.41', () => {
	afterAll(() => table.print());

	testCases('2.41', [...WAITING_CASES, ...RACES, ...FAULT_CASES], () => {
		const client = sharedClient();
		return { version: '2.41', client, webhookUrl: client.session.url, table };
	});
});
