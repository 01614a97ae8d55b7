import type { IContextObject } from 'n8n-workflow';

import {
	keepLedger,
	keptLedger,
} from '../../../../nodes/BrowserAutomation/execution/waiting/batch/ledger';
import { ledgerOf } from '../ledgerOf';

it('a ledger is found again where it was kept', () => {
	const context: IContextObject = {};
	expect(keptLedger(context)).toBeUndefined();
	const ledger = ledgerOf([{ taskId: '1' }]);
	keepLedger(context, ledger);
	expect(keptLedger(context)).toBe(ledger);
});

it('what is no ledger is not taken for one', () => {
	for (const value of [null, 'text', 1]) {
		expect(keptLedger({ browserAutomationRuns: value })).toBeUndefined();
	}
});

it('one in a form that another version wrote is refused, and its runs are named', () => {
	const entries = [{ taskId: '1' }, { refusal: {} }, { taskId: '22', more: { taskId: '333' } }];
	const ours = ledgerOf([{ taskId: '4' }]);
	for (const [value, runs] of [
		[{ version: 2, entries }, '1, 22, 333'],
		[{ ...ours, version: 0 }, '4'],
		[{ ...ours, version: undefined }, '4'],
		[{}, 'none known'],
	]) {
		const context = { browserAutomationRuns: value };
		expect(() => keptLedger(context)).toThrow(`cannot be read here. Its runs: ${String(runs)}`);
	}
});

it('one of another round is left alone, whoever wrote it', () => {
	const { version, ...ledger } = ledgerOf([], { runIndex: 1 });
	for (const value of [{ ...ledger, version }, ledger]) {
		expect(keptLedger({ browserAutomationRuns: value }, 2)).toBeUndefined();
	}
	expect(() => keptLedger({ browserAutomationRuns: ledger }, 1)).toThrow('Another version');
});
