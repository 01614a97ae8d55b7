import { describeExamples } from './exampleCases';
import { sharedClient, sharedFolder } from './sharedServer';

describe('the examples in n8n 2.41', () => {
	describeExamples('2.41', () => ({ client: sharedClient(), folder: sharedFolder() }));
});
