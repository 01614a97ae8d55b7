import { ask, at, bodyField, done, staticProxyField, type Operation } from '../operation';

export const rename: Operation = {
	name: 'Rename',
	action: 'Rename static proxy',
	description: 'Give a static proxy another name',
	...ask('PUT', at`/v2/static-proxy/${staticProxyField}/name`, { body: bodyField('The new name') }),
	answer: done,
};
