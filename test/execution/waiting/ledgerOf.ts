import type {
	Entry,
	Ledger,
} from '../../../nodes/BrowserAutomation/execution/waiting/batch/ledger';
import type { WaitSettings } from '../../../nodes/BrowserAutomation/fields/waiting';

/** A ledger of an execution that waits for runs, as far as a test needs one. */
export function ledgerOf(
	entries: Entry[],
	more: Partial<Ledger> = {},
	settings: Partial<WaitSettings> = {},
): Ledger {
	return {
		version: 1,
		executionId: '1',
		nodeId: 'a',
		runIndex: 0,
		statusPageKey: 'key',
		callbackKey: 'secret',
		waitMethod: 'callback',
		api: 'v3',
		settings: {
			output: 'simplified',
			limitMs: 1,
			atLimit: 'continue',
			wakeWhenPaused: false,
			failedAsOutput: false,
			cancelOnStop: false,
			cancelAtLimit: false,
			cancelOnFailedStart: false,
			waitForSlot: false,
			mostRuns: undefined,
			cancelAfterMs: undefined,
			noRepeatMs: undefined,
			concurrency: 1,
			files: undefined,
			keepInputFiles: false,
			...settings,
		},
		begunAt: 0,
		deadline: 1,
		entries,
		...more,
	};
}
