import { ask, at, bodyField, item, type Operation } from '../operation';

export const getGatewayConfig: Operation = {
	name: 'Get Gateway Config',
	action: 'Get gateway config',
	description:
		'Read the encrypted gateway configuration, with version information and settings for reusing proxies',
	...ask('POST', at`/v2/browser/gateway/config`, {
		body: bodyField('The gateway configuration to read'),
	}),
	answer: item,
};
