import { runPage } from '../../execution/handlers';
import { LIST_OUTPUT_FIELDS } from '../../fields/output';
import { PAGING_FIELDS } from '../../fields/paging';
import {
	botIdFilter,
	botNameFilter,
	createdFromFilter,
	createdToFilter,
	runStatusFilter,
} from '../../fields';
import { V3_RUNS } from '../../service/runs/runApi';
import type { Operation } from '../operation';

export const getAll: Operation = {
	value: 'getAll',
	name: 'Get Many',
	action: 'Get many runs',
	description: 'List runs by bot, status or time of creation',
	fields: [
		...PAGING_FIELDS,
		...LIST_OUTPUT_FIELDS,
		botIdFilter,
		botNameFilter,
		createdFromFilter,
		createdToFilter,
		runStatusFilter,
	],
	request: (values) =>
		V3_RUNS.listRequest({
			bot_id: values(botIdFilter),
			bot_name: values(botNameFilter),
			status: values(runStatusFilter),
			created_at_from: values(createdFromFilter),
			created_at_to: values(createdToFilter),
		}),
	answer: runPage({ max: V3_RUNS.listLimit }),
};
