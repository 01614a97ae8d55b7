import { keptLedger } from '../../../../nodes/BrowserAutomation/execution/waiting/batch/ledger';
import { ledgerOf, refusal, request } from '../ledgerOf';

describe('what a node keeps with the execution', () => {
	const ours = ledgerOf([{ taskId: '4' }, { request }, { refusal }], { runIndex: 1 });
	const ofAnother = { ...ours, version: 99 };
	const entries = [{ taskId: '1' }, { refusal: {} }, { taskId: '22', more: { taskId: '333' } }];

	it.each([undefined, null, 'text', 1])('is no ledger where it is %p', (value) => {
		expect(keptLedger({ browserAutomationRuns: value })).toBeUndefined();
	});

	it.each<[string, object]>([
		['1, 22, 333', { version: 99, entries }],
		['none known', {}],
		['4', { ...ours, entries: {}, kept: ours.entries }],
	])('is refused in the form of another version, naming its runs: %s', (runs, value) => {
		const context = { browserAutomationRuns: value };
		const message = expect.stringContaining(`cannot be read here. Its runs: ${runs}`);
		const about = { task_ids: runs === 'none known' ? [] : runs.split(', ') };
		expect(() => keptLedger(context)).toThrow(expect.objectContaining({ message, about }));
	});

	it('is left alone in another round, whoever wrote it', () => {
		for (const value of [ours, ofAnother]) {
			expect(keptLedger({ browserAutomationRuns: value }, 2)).toBeUndefined();
		}
		expect(() => keptLedger({ browserAutomationRuns: ofAnother }, 1)).toThrow('Another version');
	});
});
