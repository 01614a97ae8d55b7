import { resource } from '../operation';
import { downloadFiles } from './downloadFiles';
import { get } from './get';
import { getAll } from './getAll';
import { getStatus } from './getStatus';
import { resume } from './resume';
import { stop } from './stop';
import { wait } from './wait';

export const task = resource({
	value: 'task',
	name: 'Task (V2)',
	description: 'Runs of Workflow bots, through the older V2 API',
	operations: { get, getAll, wait, downloadFiles, getStatus, resume, stop },
});
