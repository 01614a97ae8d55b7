import { list } from '../../execution/handlers';
import type { Operation } from '../operation';

export const getRegions: Operation = {
	value: 'getRegions',
	name: 'Get Proxy Regions',
	action: 'Get proxy regions',
	description: 'List the countries a template’s browser can appear to be in',
	fields: [],
	request: () => ({ method: 'GET', path: '/v3/bots/regions' }),
	answer: list,
};
