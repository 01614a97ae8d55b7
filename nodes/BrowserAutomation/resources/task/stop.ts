import { taskAfterwards } from '../../execution/handlers';
import { concurrencyField } from '../../fields/concurrency';
import { STATE_FIELDS } from '../../fields/output';
import { bizCodeOption, taskField } from '../../fields';
import { V2_TASKS } from '../../service/runs/runApi';
import type { Operation } from '../operation';

export const stop: Operation = {
	value: 'stop',
	name: 'Stop',
	action: 'Stop task (V2)',
	description: 'Stop a running task immediately and permanently',
	fields: [taskField, ...STATE_FIELDS, bizCodeOption, concurrencyField],
	request: (values) => {
		const request = V2_TASKS.cancelRequest(values(taskField));
		return { ...request, query: { ...request.query, biz_code: values(bizCodeOption) } };
	},
	answer: taskAfterwards,
};
