import type { IContextObject } from 'n8n-workflow';

import {
	isPresent,
	keepLedger,
	keptLedger,
	sleeperKey,
} from '../../../nodes/BrowserAutomation/execution/waiting/ledger';
import { ledgerOf } from './ledgerOf';

it('a ledger is found again where it was kept', () => {
	const context: IContextObject = {};
	expect(keptLedger(context)).toBeUndefined();
	const ledger = ledgerOf([{ taskId: '1' }]);
	keepLedger(context, ledger);
	expect(keptLedger(context)).toBe(ledger);
	expect(isPresent(ledger)).toBe(true);
});

it('what is no ledger is not taken for one', () => {
	const { entries, settings, deadline } = ledgerOf([]);
	const broken = [
		null,
		'text',
		{ settings, deadline },
		{ entries: {}, settings, deadline },
		{ entries, deadline },
		{ entries, settings },
	];
	for (const value of broken) {
		expect(keptLedger({ browserAutomationRuns: value })).toBeUndefined();
	}
});

it('a ledger of another version is told from one of this', () => {
	const { version, way, ...older } = ledgerOf([]);
	expect([version, way]).toEqual([2, 'callback']);
	expect(isPresent({ ...older, way: 'sleep' })).toBe(false);
	expect(isPresent(Object.assign(ledgerOf([]), { version: 3 }))).toBe(false);
});

it('each round of each node of each execution has a name of its own', () => {
	const ledger = ledgerOf([]);
	const keys = [{}, { executionId: '2' }, { nodeId: 'b' }, { runIndex: 1 }].map((other) =>
		sleeperKey({ ...ledger, ...other }),
	);
	expect(new Set(keys).size).toBe(4);
});
