import { newestN8n } from '../../n8n/versions';
import { FaultTable } from './faultTable';
import { sharedClient } from './sharedServer';
import { WAITING_CASES } from './waitingCases';
import { FAULT_CASES } from './waitingFaults';
import { RACES } from './waitingRaces';
import { testCases } from './waitingScene';

const table = new FaultTable(`Fault, n8n ${newestN8n()}`);

describe(`waiting in n8n ${newestN8n()}`, () => {
	afterAll(() => table.print());

	testCases(newestN8n(), [...WAITING_CASES, ...RACES, ...FAULT_CASES], () => {
		const client = sharedClient();
		return { version: newestN8n(), client, webhookUrl: client.session.url, table };
	});
});
