import { item } from '../../execution/handlers';
import { concurrencyField } from '../../fields/concurrency';
import { runField } from '../../fields';
import { V3_RUNS } from '../../service/runs/runApi';
import type { Operation } from '../operation';

export const getStatus: Operation = {
	value: 'getStatus',
	name: 'Get Status',
	action: 'Get status of run',
	description: 'Read only the status of a run, which is faster than reading the whole run',
	fields: [runField, concurrencyField],
	request: (values) => V3_RUNS.statusRequest(values(runField)),
	answer: item,
};
