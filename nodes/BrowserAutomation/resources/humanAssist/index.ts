import type { Resource } from '../operation';
import { complete } from './complete';
import { create } from './create';
import { reportError } from './reportError';

export const humanAssist: Resource = {
	value: 'humanAssist',
	name: 'Human Assist',
	operations: [create, complete, reportError],
};
