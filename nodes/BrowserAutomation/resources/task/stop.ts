import { V2_TASKS } from '../../service/runs/runApi';
import { bizCodeOption, taskAfterwards, taskField, type Operation } from '../operation';

export const stop: Operation = {
	name: 'Stop',
	action: 'Stop task (V2)',
	description: 'Stop a running task immediately and permanently',
	fields: [taskField, bizCodeOption],
	request: (values) => {
		const request = V2_TASKS.cancelRequest(values(taskField));
		return { ...request, query: { ...request.query, biz_code: values(bizCodeOption) } };
	},
	answer: taskAfterwards,
};
