import { EventEmitter } from 'node:events';

import { startWorkflow } from '../../nodes/BrowserAutomation/triggers/triggerState';
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
	const { value, settled } = startWorkflow(response, [{ json: {} }], () => void seen.notes++);
	void settled?.then(() => (seen.isOver = true));
	const see = async () => {
		await new Promise((resolve) => setImmediate(resolve));
		return { ...seen };
	};
	return { response, value, see };
}

it('the event is noted, and the turn over, when n8n reads the answer: it has begun the execution', async () => {
	const { value, see } = start();
	const before = await see();
	const { webhookResponse } = value;

	expect(before).toEqual({ notes: 0, isOver: false });
	expect(webhookResponse).toEqual({ message: 'The workflow was started.' });
	expect(await see()).toEqual({ notes: 1, isOver: true });
});

it('the turn is over without a note when n8n answers something else: it could not begin', async () => {
	const { response, see } = start();
	response.writableEnded = true;
	response.emit('close');

	expect(await see()).toEqual({ notes: 0, isOver: true });
});

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
	const { response, value, see } = start();
	response.emit('close');
	passTime(HOUR_MS / 2);
	const before = await see();
	const { webhookResponse } = value;

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
