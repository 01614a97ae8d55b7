import { newestN8n } from '../../n8n/versions';
import { describeExamples } from './exampleCases';
import { sharedClient, sharedFolder, sharedUrl } from './sharedServer';

describe(`the examples in n8n ${newestN8n()}`, () => {
	describeExamples(newestN8n(), () => ({
		client: sharedClient(),
		url: sharedUrl(),
		folder: sharedFolder(),
	}));
});
