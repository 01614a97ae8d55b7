import { baseUrlField } from '../../fields/baseUrl';
import { item } from '../../execution/handlers';
import { concurrencyField } from '../../fields/concurrency';
import { bodyField } from '../../fields';
import type { Operation } from '../operation';

const body = bodyField('the platform');

export const getBrowserStartConfig: Operation = {
	value: 'getBrowserStartConfig',
	name: 'Get Browser Start Config',
	action: 'Get the public browser start config',
	description: 'Read the download addresses and versions of kernel, gateway and FRP for a platform',
	fields: [body, baseUrlField, concurrencyField],
	access: 'none',
	request: (values) => ({
		method: 'POST',
		path: '/open/browser/start-config',
		body: values(body),
	}),
	answer: item,
};
