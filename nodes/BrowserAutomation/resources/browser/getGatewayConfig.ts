import { item } from '../../execution/handlers';
import { bodyField } from '../../fields';
import type { Operation } from '../operation';

const body = bodyField('The gateway configuration to read');

export const getGatewayConfig: Operation = {
	value: 'getGatewayConfig',
	name: 'Get Gateway Config',
	action: 'Get gateway config',
	description:
		'Read the encrypted gateway configuration, with version information and settings for reusing proxies',
	fields: [body],
	request: (values) => ({
		method: 'POST',
		path: '/v2/browser/gateway/config',
		body: values(body),
	}),
	answer: item,
};
