import { list } from '../../execution/handlers';
import { concurrencyField } from '../../fields/concurrency';
import type { Operation } from '../operation';

export const getRegions: Operation = {
	value: 'getRegions',
	name: 'Get Proxy Regions',
	action: 'Get proxy regions',
	description: 'List the countries that a template’s browser can appear to be in',
	fields: [concurrencyField],
	request: () => ({ method: 'GET', path: '/v3/bots/regions' }),
	answer: list,
};
