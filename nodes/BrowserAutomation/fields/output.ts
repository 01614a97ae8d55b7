import type { OutputMode } from '../service/runOutput';
import type { Field } from './field';
import type { FileSettings } from './files';

/** How a run becomes output items. */
export const outputField: Field<OutputMode> = {
	name: 'output',
	parameter: {
		displayName: 'Output',
		type: 'options',
		default: 'simplified',
		description: 'What to make of the result of a run',
		options: [
			{ name: 'Raw', value: 'raw', description: 'The run as the service returns it' },
			{
				name: 'Rows',
				value: 'rows',
				description: 'One item for each row of the run’s output; an empty list gives no items',
			},
			{
				name: 'Simplified',
				value: 'simplified',
				description: 'The key fields of the run and its output',
			},
		],
	},
	read: (raw) => (raw === 'raw' || raw === 'rows' ? raw : 'simplified'),
};

/** What to make of a run. */
export interface ResultSettings {
	output: OutputMode;
	/** Which files to add; missing when none. */
	files?: FileSettings | undefined;
	/** Whether the input's binary fields go on, too. */
	keepInputFiles?: boolean;
}
