import { V3_RUNS } from '../../service/runs/runApi';
import {
	botIdFilter,
	botNameFilter,
	createdFromFilter,
	createdToFilter,
	given,
	runPage,
	runStatusFilter,
	type Operation,
} from '../operation';

const FILTERS = {
	bot_id: botIdFilter,
	bot_name: botNameFilter,
	status: runStatusFilter,
	created_at_from: createdFromFilter,
	created_at_to: createdToFilter,
};

export const getAll: Operation = {
	name: 'Get Many',
	action: 'Get many runs',
	description: 'List runs by bot, status or time of creation',
	fields: Object.values(FILTERS),
	request: (values) => V3_RUNS.listRequest(given(values, FILTERS)),
	answer: runPage({ max: V3_RUNS.listLimit }),
};
