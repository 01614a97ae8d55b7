import type { RUN_EVENTS } from '../../nodes/BrowserAutomation/service/events/runEvents';
import { BrowserAutomationPollingTrigger } from '../../nodes/BrowserAutomation/BrowserAutomationPollingTrigger.node';
import { BrowserAutomationTrigger } from '../../nodes/BrowserAutomation/BrowserAutomationTrigger.node';
import { forAllTests } from '../fixture';
import { subtitleOf } from '../subtitle';
import { callBack, startedWith, TriggerFixture } from './triggerFixture';

/** A further event, as one row of the table. */
jest.mock('../../nodes/BrowserAutomation/service/events/runEvents', () => {
	const actual: { RUN_EVENTS: typeof RUN_EVENTS } = jest.requireActual(
		'../../nodes/BrowserAutomation/service/events/runEvents',
	);
	const isResumed = ({ before, status }: { before: string; status: string }): boolean =>
		before === 'paused' && status === 'running';
	Object.assign(actual.RUN_EVENTS, { runResumed: ['Resumed', 'A paused run goes on', isResumed] });
	return actual;
});

const fixture = forAllTests(new TriggerFixture());
const TRIGGERS = [new BrowserAutomationTrigger(), new BrowserAutomationPollingTrigger()];
const EVENTS = { events: ['runResumed'] };

describe('one more row in the table of events', () => {
	it.each(TRIGGERS)('is a choice of the $description.displayName, named on the canvas', (type) => {
		const field = type.description.properties.find(({ name }) => name === 'events');
		const options = field?.options ?? [];
		const values = options.map((option) => ('value' in option ? String(option.value) : ''));

		const description = 'A paused run goes on';
		expect(options).toContainEqual({ name: 'Resumed', value: 'runResumed', description });
		expect(subtitleOf(type, { events: values })).toBe(options.map(({ name }) => name).join(', '));
	});

	it('is reported after a callback, and by a poll', async () => {
		const trigger = fixture.trigger(EVENTS);
		const keep = {};
		const taskId = await fixture.seedRun('paused');
		await callBack(trigger, { task_id: taskId, status: 'paused' }, 'setup');
		await fixture.poll(EVENTS, { mode: 'activation', keep });
		await fixture.sandbox.moveRun({ taskId, status: 'running' });
		const call = await callBack(trigger, { task_id: taskId, status: 'running' }, 'setup');
		const { items } = await fixture.poll(EVENTS, { keep });

		const event = { event: 'runResumed', task_id: taskId, previous_status: 'paused' };
		expect(startedWith(call)).toMatchObject([event]);
		expect(items?.[0]).toMatchObject([{ json: event }]);
	});
});

it.each(TRIGGERS)('$description.displayName says publish, as n8n does, not activate', (type) => {
	const texts = JSON.stringify(type.description);

	expect(texts).not.toMatch(/(?<!\()activat(e|ing) the workflow/i);
	expect(texts).not.toContain('Listen for test event');
});
