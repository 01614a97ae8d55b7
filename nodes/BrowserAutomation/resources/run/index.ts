import { resource } from '../operation';
import { cancel } from './cancel';
import { downloadFiles } from './downloadFiles';
import { get } from './get';
import { getAll } from './getAll';
import { getStatus } from './getStatus';
import { resume } from './resume';
import { wait } from './wait';

export const run = resource({
	value: 'run',
	name: 'Run',
	description: 'Wait for, read, resume and cancel runs, and download their files',
	operations: { get, getAll, wait, downloadFiles, getStatus, resume, cancel },
});
