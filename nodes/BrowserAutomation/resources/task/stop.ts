import { taskAfterwards } from '../../execution/handlers';
import { concurrencyField } from '../../fields/concurrency';
import { outputField } from '../../fields/output';
import { bizCodeOption, taskField } from '../../fields';
import { V2_TASKS } from '../../service/runs';
import type { Operation } from '../operation';

export const stop: Operation = {
	value: 'stop',
	name: 'Stop',
	action: 'Stop a task',
	description: 'Stop a running task at once and for good',
	fields: [taskField, outputField, bizCodeOption, concurrencyField],
	request: (values) => {
		const request = V2_TASKS.cancelRequest(values(taskField));
		return { ...request, query: { ...request.query, biz_code: values(bizCodeOption) } };
	},
	answer: taskAfterwards,
};
