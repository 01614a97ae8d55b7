import { planWaves } from '../../../../nodes/BrowserAutomation/execution/waiting/batch/waves';
import { ledgerOf } from '../ledgerOf';

const SIGNED = 'https://n8n.example.com/webhook-waiting/1?signature=a';

const request = { method: 'POST', path: '/v3/bots/1/runs' } as const;

/** Whether so many items are started in waves where n8n wakes the execution at this address. */
function inWaves(items: number, resumeUrl = SIGNED): boolean {
	const started = [{ taskId: '1' }, { taskId: '2' }];
	const waiting = Array.from({ length: items }, () => ({ request }));
	const ledger = ledgerOf([...started, ...waiting]);
	planWaves(ledger, resumeUrl);
	return ledger.waveEnd !== undefined;
}

it('two items that are still to be started are started in waves, a single one at once', () => {
	expect(inWaves(2)).toBe(true);
	expect(inWaves(1)).toBe(false);
});

it('there are no waves in an n8n that does not tell who is awake from who sleeps', () => {
	expect(inWaves(11, 'https://n8n.example.com/webhook-waiting/1')).toBe(false);
});
