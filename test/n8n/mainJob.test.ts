import { newestN8n } from '../../n8n/versions';
import { describeMainJob } from './mainJob';
import { sharedClient } from './sharedServer';

describe(`the main job in n8n ${newestN8n()}`, () => {
	describeMainJob(sharedClient, 'main-job');
});
