import { EVENT_FIELDS } from '../fields/events';
import type { Field } from '../fields/field';
import { SOURCE_FIELDS } from '../fields/ownRun';
import { lookBackOption, publishedAgainOption } from './poll';

/** What a user fills in at the trigger that the service calls. */
export const CALLBACK_TRIGGER_FIELDS: ReadonlyArray<Field<unknown>> = [
	...SOURCE_FIELDS,
	...EVENT_FIELDS,
];

/** What a user fills in at the trigger that looks by itself. */
export const POLLING_TRIGGER_FIELDS: ReadonlyArray<Field<unknown>> = [
	...EVENT_FIELDS,
	lookBackOption,
	publishedAgainOption,
];
