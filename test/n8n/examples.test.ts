import { n8nVersions } from '../../dev/n8n/versions';
import { describeExamples } from './exampleCases';

describe.each(n8nVersions)('the examples in n8n %s', describeExamples);
