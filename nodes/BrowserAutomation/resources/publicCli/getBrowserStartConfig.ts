import { ask, at, bodyField, item, type Operation } from '../operation';

export const getBrowserStartConfig: Operation = {
	name: 'Get Browser Start Config',
	action: 'Get public browser start config',
	description: 'Read the download URLs and versions of kernel, gateway and FRP for a platform',
	access: 'none',
	...ask('POST', at`/open/browser/start-config`, {
		body: bodyField('The operating system platform to read the start configuration for'),
	}),
	answer: item,
};
