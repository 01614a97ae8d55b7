import { item } from '../../execution/handlers';
import { concurrencyField } from '../../fields/concurrency';
import { bizCodeOption, runField } from '../../fields';
import { V3_RUNS } from '../../service/runs/runApi';
import type { Operation } from '../operation';

export const cancel: Operation = {
	value: 'cancel',
	name: 'Cancel',
	action: 'Cancel run',
	description: 'Stop a running or paused run permanently',
	fields: [runField, bizCodeOption, concurrencyField],
	request: (values) => ({
		...V3_RUNS.cancelRequest(values(runField)),
		query: { biz_code: values(bizCodeOption) },
	}),
	answer: item,
};
