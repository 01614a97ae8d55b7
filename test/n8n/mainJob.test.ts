import { describeMainJob } from './mainJob';
import { sharedClient } from './sharedServer';

describe('the main job in n8n 2.41', () => {
	describeMainJob(sharedClient, 'main-job');
});
