import type { INodeParameters } from 'n8n-workflow';

import { BrowserAutomation } from '../../nodes/BrowserAutomation/BrowserAutomation.node';
import { ActionFixture, chosen, forAllTests } from '../fixture';

const NEW_YORK = { timezone: 'America/New_York' };

const fixture = forAllTests(new ActionFixture());

beforeEach(async () => await fixture.sandbox.clearRequests());

async function queryOf(resource: string, filters: INodeParameters): Promise<URLSearchParams> {
	const run = await fixture.run(resource, 'getAll', { filters }, NEW_YORK);
	expect(run.error).toBeUndefined();
	const [request] = await fixture.sandbox.requests();
	return new URLSearchParams(request?.query);
}

it.each(['run', 'task'])('a picked time is in the workflow’s time zone: %s', async (resource) => {
	const picked = { createdAtFrom: '2026-03-01T18:30:00', createdAtTo: '2026-03-31T18:30:00' };
	const query = await queryOf(resource, picked);
	expect(query.get('created_at_from')).toBe('2026-03-01T23:30:00.000Z');
	expect(query.get('created_at_to')).toBe('2026-03-31T22:30:00.000Z');
});

it('so is a date alone; an expression’s date says itself where it is', async () => {
	const query = await queryOf('run', {
		createdAtFrom: '2026-03-01',
		createdAtTo: "={{ DateTime.fromISO('2026-03-31T18:30:00', { zone: 'Asia/Tokyo' }) }}",
	});
	expect(query.get('created_at_from')).toBe('2026-03-01T05:00:00.000Z');
	expect(query.get('created_at_to')).toBe('2026-03-31T09:30:00.000Z');
});

it.each([
	['as its schema says', false],
	['as the workflow has stored, where the schema cannot be read', true],
])('so is a date and time of a bot’s form, %s', async (_, isUnread) => {
	const fault = { kind: 'envelopeError', code: 7, msg: 'no', path: '1002$', times: 1 } as const;
	if (isUnread) await fixture.sandbox.addFault(fault);
	const shown = { displayName: '', required: false, display: true, defaultMatch: false };
	const picked = '2026-03-01T18:30:00';
	const inputFields = {
		mappingMode: 'defineBelow',
		value: { industry: 'retail', active_since: picked, founded_after: picked },
		schema: [
			{ id: 'active_since', type: 'dateTime', ...shown },
			{ id: 'founded_after', type: 'dateTime', ...shown, displayName: 'Founded after (date)' },
		],
	};
	const parameters = { botId: chosen('1002'), inputFields, waitForCompletion: 'none' };
	// In the editor no schema is taken from an execution before.
	await fixture.run('bot', 'run', parameters, { ...NEW_YORK, mode: 'manual' });
	const [request] = await fixture.sandbox.requests({ operation: 'bot.run' });
	const sent = { active_since: '2026-03-01T23:30:00.000Z', founded_after: '2026-03-01' };
	expect(request?.body).toMatchObject({ input: sent });
});

it('says so beside the fields', () => {
	const { properties } = new BrowserAutomation().description;
	const text = JSON.stringify(properties.filter(({ name }) => name === 'filters'));
	expect(text.match(/"displayName":"Created (From|To)"/g)).toHaveLength(4);
	expect(text.match(/in the workflow’s time zone/g)).toHaveLength(4);
});
