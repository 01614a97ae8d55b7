import { ask, at, list, optionalBodyField, type Operation } from '../operation';

export const getPackages: Operation = {
	name: 'Get Packages',
	action: 'Get packages',
	description: 'Read the download URLs of packages: kernel, proxy, lib and guide',
	access: 'none',
	...ask('POST', at`/open/cli/packages`, {
		body: optionalBodyField(
			'The packages to read, of one or more of the types kernel, proxy, lib and guide',
		),
	}),
	answer: list,
};
