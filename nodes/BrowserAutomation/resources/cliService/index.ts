import type { Resource } from '../operation';
import { request } from './request';

export const cliService: Resource = {
	value: 'cliService',
	name: 'CLI Service',
	operations: [request],
};
