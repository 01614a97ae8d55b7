import type { IExecuteFunctions } from 'n8n-workflow';

import { unlessRecorded } from '../../nodes/BrowserAutomation/triggers/sharedRecord';

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

it.each([
	['statuses', 'setup', [0]],
	['completions', 'default', [500]],
])('a worker records an end that came to the address of %s', async (_, address, times) => {
	const begin = Date.now();
	const recorded: number[] = [];
	const context: IExecuteFunctions = Object({
		getInputData: () => [{ json: { status: 'finished' }, ended: { run: 'run', address } }],
		getMode: () => 'webhook',
		getExecutionId: () => '1',
		helpers: {
			getProcessedDataCount: async () => 0,
			checkProcessedAndRecord: async () => {
				recorded.push(Date.now() - begin);
				return { new: [], processed: [] };
			},
		},
	});
	const items = unlessRecorded(context);
	await jest.runAllTimersAsync();

	expect(await items).toEqual([{ json: { status: 'finished' } }]);
	expect(recorded).toEqual(times);
});
