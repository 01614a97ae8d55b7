import { describeExamples } from './exampleCases';
import { sharedClient, sharedFolder, sharedUrl } from './sharedServer';

describe('the examples in n8n 2.41', () => {
	describeExamples('2.41', () => ({
		client: sharedClient(),
		url: sharedUrl(),
		folder: sharedFolder(),
	}));
});
