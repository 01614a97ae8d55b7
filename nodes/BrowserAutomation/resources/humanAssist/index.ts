import { resource } from '../operation';
import { complete } from './complete';
import { create } from './create';
import { reportError } from './reportError';

export const humanAssist = resource({
	value: 'humanAssist',
	name: 'Human Assist',
	description: 'Sessions in which a person helps with a browser',
	operations: { create, complete, reportError },
});
