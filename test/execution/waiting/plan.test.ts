import {
	planWaiting,
	type Circumstances,
} from '../../../nodes/BrowserAutomation/execution/waiting/plan';

const ideal: Circumstances = {
	mode: 'automatic',
	resumeUrl: 'https://n8n.example.com/webhook-waiting/7?signature=abc',
	serviceUrl: 'https://api.example.com',
	runsAsTool: false,
	callbackTaken: false,
	attaches: false,
	engineSleeps: true,
};

const obstacles: Array<[string, Partial<Circumstances>]> = [
	['the runs exist already', { attaches: true }],
	['the agent cannot wait for its tools', { runsAsTool: true }],
	['n8n cannot wake the workflow', { engineSleeps: false }],
	['there is no address to be woken at', { resumeUrl: undefined }],
	['the callback goes elsewhere', { callbackTaken: true }],
	['n8n is at a local address', { resumeUrl: 'http://localhost:5678/webhook-waiting/7' }],
	['n8n is at a private address', { resumeUrl: 'http://10.0.0.5/webhook-waiting/7' }],
	['n8n is at a .local name', { resumeUrl: 'http://n8n.local/webhook-waiting/7' }],
];

it('sleeps where a callback can arrive', () => {
	expect(planWaiting(ideal)).toEqual({ way: 'sleep' });
	expect(planWaiting({ ...ideal, mode: 'sleep' })).toEqual({ way: 'sleep' });
});

it('sleeps at a local address when the service is at one too', () => {
	expect(
		planWaiting({
			...ideal,
			resumeUrl: 'http://localhost:5678/webhook-waiting/7',
			serviceUrl: 'http://127.0.0.1:4010',
		}),
	).toEqual({ way: 'sleep' });
});

it.each(obstacles)('Automatic polls when %s', (_, obstacle) => {
	expect(planWaiting({ ...ideal, ...obstacle }).way).toBe('poll');
});

it.each(obstacles)('Sleep Until Callback is refused when %s', (_, obstacle) => {
	expect(() => planWaiting({ ...ideal, ...obstacle, mode: 'sleep' })).toThrow(
		/^This execution cannot sleep: /,
	);
});

it('names WEBHOOK_URL where n8n’s address is in the way, and only there', () => {
	const hints = obstacles.map(([, obstacle]) => planWaiting({ ...ideal, ...obstacle }).hint);

	expect(hints.slice(0, 5)).toEqual([undefined, undefined, undefined, undefined, undefined]);
	for (const hint of hints.slice(5)) expect(hint).toContain('WEBHOOK_URL');
});

it.each(['poll', 'none'] as const)('does as it is told with %s', (mode) => {
	for (const [, obstacle] of obstacles) {
		expect(planWaiting({ ...ideal, ...obstacle, mode })).toEqual({ way: mode });
	}
});
