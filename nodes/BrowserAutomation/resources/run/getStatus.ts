import { V3_RUNS } from '../../service/runs/runApi';
import { item, runField, type Operation } from '../operation';

export const getStatus: Operation = {
	name: 'Get Status',
	action: 'Get status of run',
	description: 'Read only the status of a run, which is faster than reading the whole run',
	fields: [runField],
	request: (values) => V3_RUNS.statusRequest(values(runField)),
	answer: item,
};
