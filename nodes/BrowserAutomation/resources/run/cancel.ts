import { V3_RUNS } from '../../service/runs/runApi';
import { bizCodeOption, item, runField, type Operation } from '../operation';

export const cancel: Operation = {
	name: 'Cancel',
	action: 'Cancel run',
	description: 'Stop a running or paused run permanently',
	fields: [runField, bizCodeOption],
	request: (values) => ({
		...V3_RUNS.cancelRequest(values(runField)),
		query: { biz_code: values(bizCodeOption) },
	}),
	answer: item,
};
