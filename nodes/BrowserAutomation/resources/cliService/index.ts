import type { Resource } from '../operation';
import { request } from './request';

export const cliService: Resource = {
	value: 'cliService',
	name: 'CLI Service',
	description: 'Send any request to the service’s CLI backend',
	operations: [request],
};
