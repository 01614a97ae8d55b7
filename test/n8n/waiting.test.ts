import { n8nVersions } from '../../dev/n8n/versions';
import { sharedServer } from './sharedServer';
import { CASES_OF_N8N_2, WAITING_CASES } from './waitingCases';
import { FAULT_CASES } from './waitingFaults';
import { LONG_RACES, RACES } from './waitingRaces';
import { testCases } from './waitingScene';

describe.each(n8nVersions)('waiting in n8n %s', (version) => {
	const own = version === '1.123' ? {} : CASES_OF_N8N_2;
	testCases({ ...WAITING_CASES, ...own, ...RACES, ...LONG_RACES, ...FAULT_CASES }, () => {
		const { client, url } = sharedServer(version);
		return { version, client, webhookUrl: url };
	});
});
