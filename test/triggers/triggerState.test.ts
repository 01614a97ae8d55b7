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

/** A start of the workflow, and what came of it so far. @param closed whether its caller has gone before */
function start(closed = false) {
	const response = Object.assign(new EventEmitter(), { closed, writableEnded: false });
	const seen = { notes: 0, isOver: false };
	const { answer, settled } = startingAnswer(response, [{ json: {} }], () => void seen.notes++);
	void settled?.then(() => (seen.isOver = true));
	const see = async () => {
		await new Promise((resolve) => setImmediate(resolve));
		return { ...seen };
	};
	return { response, answer, see };
}

it.each<[string, number, (given: ReturnType<typeof start>) => void, number]>([
	[
		'when n8n has answered all the same: it could not begin',
		HOUR_MS / 2,
		({ response }) => {
			response.writableEnded = true;
			passTime(SECOND_MS);
		},
		0,
	],
	[
		'and the event is noted when n8n begins the execution in the end',
		HOUR_MS / 2,
		({ answer }) => void answer.webhookResponse,
		1,
	],
	['an hour later, as n8n may begin until then', HOUR_MS - 1, () => passTime(SECOND_MS), 0],
])('after the caller has gone, the turn is over %s', async (_, waited, happen, notes) => {
	const started = start(waited === HOUR_MS - 1);
	if (!started.response.closed) started.response.emit('close');
	await started.see();
	passTime(waited);
	const before = await started.see();
	happen(started);

	expect(before).toEqual({ notes: 0, isOver: false });
	expect(await started.see()).toEqual({ notes, isOver: true });
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
