import { ask, at, list, type Operation } from '../operation';

export const getRegions: Operation = {
	name: 'Get Proxy Regions',
	action: 'Get proxy regions',
	description: 'List the countries a template’s browser can appear to be in',
	...ask('GET', at`/v3/bots/regions`),
	answer: list,
};
