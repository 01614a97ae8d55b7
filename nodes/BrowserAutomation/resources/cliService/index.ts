import { resource } from '../operation';
import { request } from './request';

export const cliService = resource({
	value: 'cliService',
	name: 'CLI Service',
	description: 'Send any request to the service’s CLI backend',
	operations: { request },
});
