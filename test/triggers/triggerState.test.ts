import { EventEmitter } from 'node:events';

import { startingAnswer, TriggerState } from '../../nodes/BrowserAutomation/triggers/triggerState';
import { passTime, underOwnClock, usualClock } from './ownClock';

const SECOND_MS = 1_000;
const HOUR_MS = 3_600_000;

beforeEach(() => underOwnClock({ [SECOND_MS]: SECOND_MS }));

afterEach(() => {
	jest.restoreAllMocks();
	usualClock();
});

/** A start of the workflow, and what came of it so far. */
function start() {
	const response = Object.assign(new EventEmitter(), { writableEnded: false });
	const seen = { notes: 0, isOver: false };
	const { answer, settled } = startingAnswer(response, [{ json: {} }], () => void seen.notes++);
	void settled?.then(() => (seen.isOver = true));
	const see = async () => {
		await new Promise((resolve) => setImmediate(resolve));
		return { ...seen };
	};
	return { response, answer, see };
}

it('after the caller has gone, the turn is over when n8n has answered all the same: it could not begin', async () => {
	const { response, see } = start();
	response.emit('close');
	await see();
	passTime(HOUR_MS / 2);
	const before = await see();
	response.writableEnded = true;
	passTime(SECOND_MS);

	expect(before).toEqual({ notes: 0, isOver: false });
	expect(await see()).toEqual({ notes: 0, isOver: true });
});

it('after the caller has gone, the event is noted when n8n begins the execution in the end', async () => {
	const { response, answer, see } = start();
	response.emit('close');
	passTime(HOUR_MS / 2);
	const before = await see();
	const { webhookResponse } = answer;

	expect(before).toEqual({ notes: 0, isOver: false });
	expect(webhookResponse).toEqual({ message: 'The workflow was started.' });
	expect(await see()).toEqual({ notes: 1, isOver: true });
});

it('the turn is over an hour after the caller has gone, as n8n may begin until then', async () => {
	const { response, see } = start();
	response.emit('close');
	passTime(HOUR_MS - 1);
	const before = await see();
	passTime(SECOND_MS);

	expect(before).toEqual({ notes: 0, isOver: false });
	expect(await see()).toEqual({ notes: 0, isOver: true });
});

it('work waits for all earlier work of its key, also when some of that is done', async () => {
	const log: string[] = [];
	const ends: Array<() => void> = [];
	const { turns } = new TriggerState();
	const turn = async (name: string) =>
		await turns.inTurn('key', new AbortController().signal, async () => {
			log.push(name);
			await new Promise<void>((resolve) => ends.push(resolve));
			return { answer: name };
		});
	const tick = async () => await new Promise(setImmediate);
	const first = turn('first');
	const second = turn('second');
	ends[0]?.();
	await first;
	await tick();
	const third = turn('third');
	await tick();
	expect(log).toEqual(['first', 'second']);
	ends[1]?.();
	await second;
	await tick();
	expect(log).toEqual(['first', 'second', 'third']);
	ends[2]?.();
	await third;
});
