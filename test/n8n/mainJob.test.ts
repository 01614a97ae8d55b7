import { n8nVersions } from '../../dev/n8n/versions';
import { describeMainJob } from './mainJob';
import { sharedServer } from './sharedServer';

describe.each(n8nVersions)('the main job in n8n %s', (version) => {
	describeMainJob(() => sharedServer(version).client);
});
