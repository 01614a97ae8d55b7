import { BrowserAutomationPollingTrigger } from '../../nodes/BrowserAutomation/BrowserAutomationPollingTrigger.node';
import { BrowserAutomationTrigger } from '../../nodes/BrowserAutomation/BrowserAutomationTrigger.node';
import { subtitleOf } from '../subtitle';

const TRIGGERS = [new BrowserAutomationTrigger(), new BrowserAutomationPollingTrigger()];

describe.each(TRIGGERS)('$description.displayName', (type) => {
	it('shows its events by the names that it offers', () => {
		const events = type.description.properties.find(({ name }) => name === 'events');
		const values = events?.options?.map((option) => ('value' in option ? option.value : '')) ?? [];
		const names = events?.options?.map(({ name }) => name);

		expect(subtitleOf(type, { events: values.map(String) })).toBe(names?.join(', '));
	});

	it('says publish where n8n does, and activate where n8n did', () => {
		const texts = JSON.stringify(type.description);

		expect(texts).not.toMatch(/(?<!\()activat(e|ing) the workflow/i);
		expect(texts).not.toContain('Listen for test event');
	});
});
