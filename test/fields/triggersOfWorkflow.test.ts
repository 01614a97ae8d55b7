import { chooseTrigger } from '../../nodes/BrowserAutomation/fields/triggersOfWorkflow';

const addressesOf = (name: string) => ({
	name,
	completed: `https://n8n.test/${name}/completed`,
	statusChanged: `https://n8n.test/${name}/status`,
});
const [first, second] = [addressesOf('first'), addressesOf('second')];

describe('the trigger to be notified', () => {
	const listenedTo = { ...second, isTest: true } as const;

	it('is the only one, the named one, or the one that is listened to', () => {
		expect(chooseTrigger([first], undefined)).toBe(first);
		expect(chooseTrigger([first, second], 'second')).toBe(second);
		expect(chooseTrigger([first, listenedTo], undefined)).toBe(listenedTo);
		expect(chooseTrigger([first, listenedTo], 'first')).toBe(first);
	});

	it.each([
		['is none', [], undefined, 'No Browser Automation Trigger of this workflow is active'],
		[
			'are two',
			[first, second],
			undefined,
			'more than one active Browser Automation Trigger: "first", "second"',
		],
		['is none of that name', [first], 'third', 'is named "third"'],
	])('is asked for where there %s', (_, triggers, name, words) => {
		expect(() => chooseTrigger(triggers, name)).toThrow(words);
	});
});
