import {
	callbackUrlFor,
	planWaiting,
} from '../../../../nodes/BrowserAutomation/execution/waiting/batch/plan';
import type { WaitMode } from '../../../../nodes/BrowserAutomation/fields/waiting';

interface Circumstances {
	mode: WaitMode;
	resumeUrl: string | undefined;
	serviceUrl: string;
	callbackUrl: string | undefined;
}

const ideal: Circumstances = {
	mode: 'automatic',
	resumeUrl: 'https://n8n.example.com/webhook-waiting/7?signature=abc',
	serviceUrl: 'https://api.example.com',
	callbackUrl: 'https://n8n.example.com/webhook-waiting/7?signature=abc&item=1&nonce=a',
};

/** How to wait in these circumstances. */
function plan({ mode, serviceUrl, resumeUrl, callbackUrl }: Circumstances) {
	return planWaiting(mode, serviceUrl, resumeUrl, callbackUrl);
}

/** Where n8n has this address. */
function at(resumeUrl: string): Partial<Circumstances> {
	return { resumeUrl, callbackUrl: `${resumeUrl}?item=1&nonce=a` };
}

/** Where n8n cannot wake the execution at all. */
const unwakeable: Array<[string, Partial<Circumstances>]> = [
	['there is no address to be woken at', { resumeUrl: undefined }],
];

/** Where only its clock can. */
const unreachable: Array<[string, Partial<Circumstances>]> = [
	['no callback is wanted', { callbackUrl: undefined }],
	['n8n is at a local address', at('http://localhost:5678/webhook-waiting/7')],
	['n8n is at a private address', at('http://10.0.0.5/webhook-waiting/7')],
	['n8n is at a .local name', at('http://n8n.local/webhook-waiting/7')],
	[
		'an item’s callback URL is too long',
		{ callbackUrl: `${ideal.callbackUrl}${'x'.repeat(2_000)}` },
	],
];

const obstacles = [...unwakeable, ...unreachable];

it('sleeps where a callback can arrive', () => {
	expect(plan(ideal)).toEqual({ waitMethod: 'callback' });
});

it('sleeps at a local address when the service is at one too', () => {
	expect(
		plan({
			...ideal,
			...at('http://localhost:5678/webhook-waiting/7'),
			serviceUrl: 'http://127.0.0.1:4010',
		}),
	).toEqual({ waitMethod: 'callback' });
});

it.each(['automatic', 'poll'] as const)('%s polls in place where nothing wakes it', (mode) => {
	for (const [, obstacle] of unwakeable) {
		expect(plan({ ...ideal, ...obstacle, mode }).waitMethod).toBe('inPlace');
	}
});

it.each(unreachable)('Automatic sleeps between looks when %s', (_, obstacle) => {
	expect(plan({ ...ideal, ...obstacle }).waitMethod).toBe('clock');
});

it('Poll polls in place also where n8n can wake it', () => {
	expect(plan({ ...ideal, mode: 'poll' })).toEqual({ waitMethod: 'inPlace' });
});

it.each(obstacles)('Poll is told nothing, as it asked for no callback, when %s', (_, obstacle) => {
	expect(plan({ ...ideal, ...obstacle, mode: 'poll' })).not.toHaveProperty('hint');
});

it('names N8N_WEBHOOK_URL where n8n’s address is in the way, and only there', () => {
	const hints = obstacles.map(([, obstacle]) => plan({ ...ideal, ...obstacle }).hint);

	expect(hints.slice(0, 2)).toEqual([undefined, undefined]);
	expect(hints).toHaveLength(6);
	for (const hint of hints.slice(2)) expect(hint).toContain('N8N_WEBHOOK_URL');
});

it('waits for nothing when told so', () => {
	for (const [, obstacle] of obstacles) {
		expect(plan({ ...ideal, ...obstacle, mode: 'none' })).toEqual({ waitMethod: 'none' });
	}
});

it('has each item’s run call back at an address of its own', () => {
	const [third, fourth] = [2, 3].map((item) =>
		callbackUrlFor(ideal.resumeUrl ?? '', item, 'secret'),
	);

	expect(third).toMatch(/\/7\?signature=abc&item=2&nonce=[\da-f]{32}$/);
	expect(fourth).toMatch(/\/7\?signature=abc&item=3&nonce=[\da-f]{32}$/);
	expect(third?.split('nonce=').at(-1)).not.toBe(fourth?.split('nonce=').at(-1));
});
