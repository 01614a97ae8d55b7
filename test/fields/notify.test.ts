import {
	beginListening,
	chooseTrigger,
	findTriggers,
	checkUrlFor,
} from '../../nodes/BrowserAutomation/fields/notify';
import { IN_WORKFLOW, TRIGGER_NAME } from '../contract/operations';
import { TRIGGER } from '../fixture/nodeTypes';

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

describe('the triggers of a workflow are found', () => {
	const untold = { getWorkflow: () => ({ id: '1', active: false }) };
	const among = (...nodes: unknown[]) => ({ workflow: { nodes: Object({ ...nodes }) } });

	it.each<[string, object, string[]]>([
		['while it is active', {}, [TRIGGER_NAME]],
		['in an execution of a trigger', untold, [TRIGGER_NAME]],
		['in one of a webhook', { ...untold, getMode: () => 'webhook' }, [TRIGGER_NAME]],
		['not in one of a user, while it is inactive', { ...untold, getMode: () => 'manual' }, []],
		['not before it is stored', { getWorkflow: () => ({ active: true }) }, []],
		['not where n8n does not tell its own address', { additionalData: {} }, []],
		['not where n8n does not tell its nodes', { workflow: {} }, []],
		[
			'not among what are no nodes',
			among(null, { type: 1, parameters: {} }, { type: TRIGGER }),
			[],
		],
	])('%s', (_, difference, names) => {
		const found = findTriggers(Object({ ...IN_WORKFLOW, ...difference }));
		expect(found.map(({ name }) => name)).toEqual(names);
	});
});

describe('a run that notifies', () => {
	const [{ statusChanged } = first] = findTriggers(IN_WORKFLOW);
	const polledAt = (url: string, context = IN_WORKFLOW) =>
		checkUrlFor(context, { status_change_callback_url: url }, { task_id: '7' });

	it('a trigger of its workflow is called to check it', () => {
		expect(polledAt(statusChanged)).toBe(`${statusChanged}?check=&task_id=7`);
	});

	it('nobody, somebody else or one that an editor listens to is not', () => {
		const getWorkflow = () => ({ id: 'listened to', active: true });
		const listening = { getMode: () => 'manual', getNode: () => ({}), getWorkflow };
		const context = Object({ ...IN_WORKFLOW, ...listening });
		beginListening(context, second);

		expect(checkUrlFor(IN_WORKFLOW, {}, {})).toBeUndefined();
		expect(polledAt(second.statusChanged)).toBeUndefined();
		const ofTest = 'https://n8n.example.com/webhook-test/1/run-status-changed';
		expect(polledAt(ofTest)).toBeUndefined();
		expect(polledAt(second.statusChanged, context)).toBeUndefined();
	});
});
