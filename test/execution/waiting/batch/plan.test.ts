import type { WaitMethod } from '../../../../nodes/BrowserAutomation/execution/waiting/batch/ledger';
import {
	wantsCallbacks,
	callbackUrlFor,
	planWaiting,
} from '../../../../nodes/BrowserAutomation/execution/waiting/batch/plan';
import type { WaitMode } from '../../../../nodes/BrowserAutomation/fields/waiting';
import { ledgerOf, RESUME_URL } from '../ledgerOf';

interface Circumstances {
	mode?: WaitMode;
	resumeUrl?: string | undefined;
	serviceUrl?: string;
	callbackUrl?: string | undefined;
}

/** Where n8n has this address. */
function at(resumeUrl: string): Circumstances {
	return { resumeUrl, callbackUrl: `${resumeUrl}?item=1&nonce=a` };
}

const LOCAL = at('http://localhost:5678/webhook-waiting/7');

/** How to wait, in circumstances that are ideal otherwise. */
function plan(how: Circumstances): ReturnType<typeof planWaiting> {
	const ideal = { mode: 'automatic', serviceUrl: 'https://api.example.com' } as const;
	const { mode, serviceUrl, resumeUrl, callbackUrl } = { ...ideal, ...at(RESUME_URL), ...how };
	return planWaiting(mode, serviceUrl, resumeUrl, callbackUrl);
}

it.each<[string, Circumstances, WaitMethod]>([
	['callbacks can arrive', {}, 'callback'],
	['all is at local addresses', { ...LOCAL, serviceUrl: 'http://[::1]' }, 'callback'],
	['no callback is wanted', { callbackUrl: undefined }, 'timer'],
	['nothing can resume the execution', { resumeUrl: undefined }, 'inPlace'],
	['Stay Awake is chosen', { mode: 'poll' }, 'inPlace'],
	['Stay Awake is chosen at a local address', { mode: 'poll', ...LOCAL }, 'inPlace'],
	['Don’t Wait is chosen', { mode: 'none' }, 'none'],
	['Don’t Wait is, and nothing resumes it', { mode: 'none', resumeUrl: undefined }, 'none'],
])('where %s (%j), runs are waited for by way of %s', (_, how, way) => {
	expect(plan(how)).toEqual({ waitMethod: way });
});

it.each<[string, Circumstances]>([
	['n8n is at a local address', LOCAL],
	['a callback URL is too long', { callbackUrl: RESUME_URL + 'x'.repeat(2_000) }],
])('where %s, n8n’s wait timer resumes it, and a hint names N8N_WEBHOOK_URL', (_, how) => {
	const hint = expect.stringContaining('N8N_WEBHOOK_URL');
	expect(plan(how)).toEqual({ waitMethod: 'timer', hint });
});

it('has each item’s run call back at an address of its own', () => {
	const [third, fourth] = [2, 3].map((item) => callbackUrlFor(RESUME_URL, item, 'secret'));

	expect(third).toMatch(/\/1\?signature=a&item=2&nonce=[\da-f]{32}$/);
	expect(fourth).toMatch(/\/1\?signature=a&item=3&nonce=[\da-f]{32}$/);
	expect(third?.split('nonce=').at(-1)).not.toBe(fourth?.split('nonce=').at(-1));
});

it.each<[string, number, boolean, WaitMethod, boolean]>([
	['are few', 10, true, 'callback', true],
	['are many, which are watched', 11, true, 'callback', false],
	['are many, which nothing else watches', 11, false, 'callback', true],
	['cannot resume the execution', 1, false, 'timer', false],
])('runs that %s call back, or do not', (_, count, canResume, way, expected) => {
	const ledger = ledgerOf(Array(count).fill({}), { waitMethod: way });
	expect(wantsCallbacks(ledger, canResume)).toBe(expected);
});
