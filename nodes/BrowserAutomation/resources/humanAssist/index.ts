import type { Resource } from '../operation';
import { complete } from './complete';
import { create } from './create';
import { reportError } from './reportError';

export const humanAssist: Resource = {
	value: 'humanAssist',
	name: 'Human Assist',
	description: 'Sessions in which a person helps with a browser',
	operations: [create, complete, reportError],
};
