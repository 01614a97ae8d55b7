import { item } from '../../execution/handlers';
import { concurrencyField } from '../../fields/concurrency';
import { runField } from '../../fields';
import { path } from '../../service/request';
import type { Operation } from '../operation';

export const resume: Operation = {
	value: 'resume',
	name: 'Resume',
	action: 'Resume a run',
	description: 'Let a paused run go on from where it paused',
	fields: [runField, concurrencyField],
	request: (values) => ({
		method: 'POST',
		path: path`/v3/bots/runs/${values(runField)}/resume`,
	}),
	answer: item,
};
