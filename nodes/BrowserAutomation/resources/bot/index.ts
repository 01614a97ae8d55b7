import type { Resource } from '../operation';
import { get } from './get';
import { getAll } from './getAll';
import { run } from './run';

export const bot: Resource = { value: 'bot', name: 'Bot', operations: [run, get, getAll] };
