import type { Resource } from '../operation';
import { downloadFiles } from './downloadFiles';
import { get } from './get';
import { getAll } from './getAll';
import { getStatus } from './getStatus';
import { resume } from './resume';
import { stop } from './stop';
import { wait } from './wait';

export const task: Resource = {
	value: 'task',
	name: 'Task',
	description:
		'Runs as the older interface V2 shows them. The resource Run has the same runs, under the same IDs.',
	operations: [getAll, get, getStatus, stop, resume, wait, downloadFiles],
};
