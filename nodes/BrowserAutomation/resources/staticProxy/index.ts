import type { Resource } from '../operation';
import { rename } from './rename';

export const staticProxy: Resource = {
	value: 'staticProxy',
	name: 'Static Proxy',
	description: 'Rename your static proxies',
	operations: [rename],
};
