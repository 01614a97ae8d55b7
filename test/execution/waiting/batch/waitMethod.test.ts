import type { WaitMethod } from '../../../../nodes/BrowserAutomation/execution/waiting/batch/ledger';
import {
	sendsCallbackUrl,
	chooseWaitMethod,
} from '../../../../nodes/BrowserAutomation/execution/waiting/batch/waitMethod';
import { ledgerOf, RESUME_URL } from '../ledgerOf';

it('where a callback URL is too long, n8n’s wait timer resumes it, and a hint names N8N_WEBHOOK_URL', () => {
	const url = RESUME_URL + 'x'.repeat(2_000);
	expect(chooseWaitMethod('automatic', 'https://api.example.com', RESUME_URL, url)).toEqual({
		waitMethod: 'noCallbacks',
		hint: expect.stringContaining('N8N_WEBHOOK_URL'),
	});
});

it('Don’t Wait does not wait, also where nothing resumes the execution', () => {
	const plan = chooseWaitMethod('none', 'https://api.example.com', undefined, undefined);
	expect(plan).toEqual({ waitMethod: 'none' });
});

it.each<[string, number, boolean, WaitMethod, boolean]>([
	['are few', 10, true, 'callback', true],
	['are many, which are watched', 11, true, 'callback', false],
	['are many, which nothing else watches', 11, false, 'callback', true],
])('runs that %s call back, or do not', (_, count, canWatch, way, expected) => {
	const ledger = ledgerOf(Array(count).fill({}), { waitMethod: way });
	expect(sendsCallbackUrl(ledger, canWatch)).toBe(expected);
});
