import { item } from '../../execution/handlers';
import { concurrencyField } from '../../fields/concurrency';
import { bodyField } from '../../fields';
import type { Operation } from '../operation';

const body = bodyField('the gateway configuration to read');

export const getGatewayConfig: Operation = {
	value: 'getGatewayConfig',
	name: 'Get Gateway Config',
	action: 'Get the gateway config',
	description:
		'Read the encrypted gateway configuration, with version information and settings for reusing proxies',
	fields: [body, concurrencyField],
	request: (values) => ({
		method: 'POST',
		path: '/v2/browser/gateway/config',
		body: values(body),
	}),
	answer: item,
};
