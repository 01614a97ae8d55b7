import {
	addressesIn,
	chooseTrigger,
	hasAddresses,
	leaveAddresses,
	takeAddresses,
} from '../../nodes/BrowserAutomation/fields/triggerAddresses';

const addressesOf = (name: string) => ({
	name,
	completedUrl: `https://n8n.test/${name}/completed`,
	statusUrl: `https://n8n.test/${name}/status`,
});
const [first, second] = [addressesOf('first'), addressesOf('second')];

describe('the addresses that triggers leave', () => {
	const left = leaveAddresses(leaveAddresses(undefined, '1', first), '2', second);

	it('are found again, until they are taken out', () => {
		expect(addressesIn(left)).toEqual([first, second]);
		expect(addressesIn(takeAddresses(left, '1'))).toEqual([second]);
		expect(addressesIn(left)).toHaveLength(2);
		expect(takeAddresses('nothing', '1')).toEqual({});
		expect(addressesIn('nothing')).toEqual([]);
	});

	it('are the same only if both are', () => {
		expect(hasAddresses(left, '1', first)).toBe(true);
		expect(hasAddresses(left, '2', first)).toBe(false);
		expect(hasAddresses(left, '3', first)).toBe(false);
		expect(hasAddresses(undefined, '1', first)).toBe(false);
		expect(hasAddresses(left, '1', { ...first, completedUrl: 'https://n8n.test/other' })).toBe(
			false,
		);
		expect(hasAddresses(left, '1', { ...first, statusUrl: 'https://n8n.test/other' })).toBe(false);
	});

	it('count only where both are there', () => {
		const { name, completedUrl, statusUrl } = first;
		const broken = { a: { name, completedUrl }, b: { name, statusUrl }, c: 'none' };
		expect(addressesIn(broken)).toEqual([]);
		expect(addressesIn({ a: { completedUrl, statusUrl, isTest: 'yes' } })).toEqual([
			{ name: '', completedUrl, statusUrl },
		]);
		expect(addressesIn({ a: { ...first, isTest: true } })).toEqual([{ ...first, isTest: true }]);
	});
});

describe('the trigger to be notified', () => {
	const listenedTo = { ...second, isTest: true };

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
