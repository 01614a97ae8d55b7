import { resource } from '../operation';
import { rename } from './rename';

export const staticProxy = resource({
	value: 'staticProxy',
	name: 'Static Proxy',
	description: 'Rename your static proxies',
	operations: { rename },
});
