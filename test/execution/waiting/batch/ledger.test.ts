import type { IContextObject } from 'n8n-workflow';

import {
	keepLedger,
	keptLedger,
	sleeperKey,
} from '../../../../nodes/BrowserAutomation/execution/waiting/batch/ledger';
import { ledgerOf } from '../ledgerOf';

it('a ledger is found again where it was kept', () => {
	const context: IContextObject = {};
	expect(keptLedger(context)).toBeUndefined();
	const ledger = ledgerOf([{ taskId: '1' }]);
	keepLedger(context, ledger);
	expect(keptLedger(context)).toBe(ledger);
});

it('what is no ledger, or one of another version, is not taken for one', () => {
	const { version, ...unnamed } = ledgerOf([]);
	expect(version).toBe(1);
	for (const value of [null, 'text', [], {}, unnamed, { ...unnamed, version: 2 }]) {
		expect(keptLedger({ browserAutomationRuns: value })).toBeUndefined();
	}
});

it('each round of each node of each execution has a name of its own', () => {
	const ledger = ledgerOf([]);
	const keys = [{}, { executionId: '2' }, { nodeId: 'b' }, { runIndex: 1 }].map((other) =>
		sleeperKey({ ...ledger, ...other }),
	);
	expect(new Set(keys).size).toBe(4);
});
