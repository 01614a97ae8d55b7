import { baseUrlField } from '../../fields/baseUrl';
import { item } from '../../execution/handlers';
import { bodyField } from '../../fields';
import type { Operation } from '../operation';

const body = bodyField('The operating system platform to read the start configuration for');

export const getBrowserStartConfig: Operation = {
	value: 'getBrowserStartConfig',
	name: 'Get Browser Start Config',
	action: 'Get public browser start config',
	description: 'Read the download URLs and versions of kernel, gateway and FRP for a platform',
	fields: [body, baseUrlField],
	access: 'none',
	request: (values) => ({
		method: 'POST',
		path: '/open/browser/start-config',
		body: values(body),
	}),
	answer: item,
};
