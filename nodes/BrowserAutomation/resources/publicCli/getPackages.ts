import { baseUrlField } from '../../fields/baseUrl';
import { list } from '../../execution/handlers';
import { optionalBodyField } from '../../fields';
import type { Operation } from '../operation';

const body = optionalBodyField(
	'The packages to read, of one or more of the types kernel, proxy, lib and guide',
);

export const getPackages: Operation = {
	value: 'getPackages',
	name: 'Get Packages',
	action: 'Get packages',
	description: 'Read the download URLs of packages: kernel, proxy, lib and guide',
	fields: [body, baseUrlField],
	access: 'none',
	request: (values) => ({ method: 'POST', path: '/open/cli/packages', body: values(body) }),
	answer: list,
};
