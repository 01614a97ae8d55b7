import { deleted } from '../../execution/handlers';
import { concurrencyField } from '../../fields/concurrency';
import { browserField } from '../../fields';
import { path } from '../../service/http/request';
import type { Operation } from '../operation';

export const deleteBrowser: Operation = {
	value: 'delete',
	name: 'Delete',
	action: 'Delete browser',
	description: 'Delete a browser instance permanently',
	fields: [browserField, concurrencyField],
	request: (values) => ({ method: 'DELETE', path: path`/v2/browser/${values(browserField)}` }),
	answer: deleted,
};
