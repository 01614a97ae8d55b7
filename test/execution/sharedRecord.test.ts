import type { IExecuteFunctions } from 'n8n-workflow';

import { HISTORY, isFirstToRecord } from '../../nodes/BrowserAutomation/execution/sharedRecord';
import { MAX_EVENT_RECORDS } from '../../nodes/BrowserAutomation/execution/sharedRecord';

/** A node whose n8n has records of it, and answers so many tries with an error although it has stored what they record. */
function nodeWith(records: string[], failures = 0): IExecuteFunctions {
	const known = new Set(records);
	let tries = 0;
	const checkProcessedAndRecord = async (values: string[]) => {
		const processed = values.filter((value) => known.has(value));
		for (const value of values) known.add(value);
		if (tries++ < failures) throw new Error('UNIQUE constraint failed');
		return { new: values.filter((value) => !processed.includes(value)), processed };
	};
	const getProcessedDataCount = async () => known.size;
	return Object({ helpers: { checkProcessedAndRecord, getProcessedDataCount } });
}

it.each<[string, string[], number, boolean]>([
	['nobody has recorded', ['another event'], 0, true],
	['somebody else has recorded', ['event', 'event of another'], 0, false],
	['this call records twice, as n8n stored it before it failed', [], 1, true],
	['n8n cannot record', ['event'], 2, true],
])('whether a call is first to record an event that %s', async (_, records, failures, isFirst) => {
	const node = nodeWith(records, failures);
	expect(await isFirstToRecord(node, 'event', 'event of this call')).toBe(isFirst);
});

it.each([
	['of events alone', MAX_EVENT_RECORDS, MAX_EVENT_RECORDS],
	['of rows, too', MAX_EVENT_RECORDS + 1, HISTORY.maxEntries],
])('of a node that has records %s, n8n keeps so many', async (_, records, kept) => {
	const checkProcessedAndRecord = jest.fn(async () => ({ new: [], processed: [] }));
	const getProcessedDataCount = async () => records;
	const node = Object({ helpers: { checkProcessedAndRecord, getProcessedDataCount } });
	await isFirstToRecord(node, 'event', 'event of this call');
	const options = expect.objectContaining({ maxEntries: kept });
	expect(checkProcessedAndRecord).toHaveBeenCalledWith(expect.anything(), 'node', options);
});
