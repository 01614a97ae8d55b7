import { randomUUID } from 'node:crypto';

import { createInputSchemas } from '../../nodes/BrowserAutomation/execution/inputSchemas';
import { CanceledError } from '../../nodes/BrowserAutomation/service/errors';
import type { JsonObject } from '../../nodes/BrowserAutomation/service/json/json';

const PATH = '/v3/bots/1';
const schema = { type: 'object', required: ['a'] };

/** A service that tells the schema of any input, or fails. */
function serviceThat(tells: JsonObject | Error, baseUrl = 'https://service.test') {
	const send = jest.fn(async (): Promise<JsonObject> => {
		if (tells instanceof Error) throw tells;
		return { input_schema: tells };
	});
	return { baseUrl, send };
}

beforeEach(() => jest.useFakeTimers({ now: 1_000_000 }));
afterEach(() => jest.useRealTimers());

it('a schema is read once, however many items need it', async () => {
	const service = serviceThat(schema);
	const schemas = createInputSchemas(service, undefined);
	const found = await Promise.all([schemas.at(PATH), schemas.at(PATH), schemas.at('/v3/bots/2')]);
	expect(found[0]).toEqual({ schema, isOld: false });
	expect(found[1]).toBe(found[0]);
	expect(service.send.mock.calls).toEqual([
		[{ method: 'GET', path: PATH, once: true }],
		[{ method: 'GET', path: '/v3/bots/2', once: true }],
	]);
});

it('a schema that cannot be read is asked for once, and no reason not to start', async () => {
	const service = serviceThat(new Error('no answer'));
	const schemas = createInputSchemas(service, randomUUID());
	for (const found of [await schemas.at(PATH), await schemas.at(PATH)]) {
		expect(found).toEqual({ schema: undefined, isOld: false });
	}
	expect(service.send).toHaveBeenCalledTimes(1);
});

it('a stop is a stop', async () => {
	const schemas = createInputSchemas(serviceThat(new CanceledError()), undefined);
	await expect(schemas.at(PATH)).rejects.toThrow(CanceledError);
});

it('executions of one node share a schema for a minute, and know that it is old', async () => {
	const node = randomUUID();
	const service = serviceThat(schema);
	await createInputSchemas(service, node).at(PATH);
	jest.setSystemTime(1_059_999);
	expect(await createInputSchemas(service, node).at(PATH)).toEqual({ schema, isOld: true });
	expect(service.send).toHaveBeenCalledTimes(1);
	jest.setSystemTime(1_060_000);
	expect(await createInputSchemas(service, node).at(PATH)).toEqual({ schema, isOld: false });
	expect(service.send).toHaveBeenCalledTimes(2);
});

it('a schema is shared with nobody else', async () => {
	const node = randomUUID();
	const service = serviceThat(schema);
	await createInputSchemas(service, node).at(PATH);
	for (const [schemas, path] of [
		[createInputSchemas(service, undefined), PATH],
		[createInputSchemas(service, undefined), PATH],
		[createInputSchemas(service, randomUUID()), PATH],
		[createInputSchemas(service, node), '/v3/bots/2'],
		[createInputSchemas(serviceThat(schema, 'https://other.test'), node), PATH],
	] as const) {
		expect((await schemas.at(path)).isOld).toBe(false);
	}
});

it('an old schema is read anew once, and shared from then on', async () => {
	const node = randomUUID();
	await createInputSchemas(serviceThat(schema), node).at(PATH);
	const changed = { type: 'object', required: ['b'] };
	const service = serviceThat(changed);
	const schemas = createInputSchemas(service, node);
	expect(await schemas.at(PATH)).toEqual({ schema, isOld: true });
	for (const renewed of await Promise.all([schemas.renew(PATH), schemas.renew(PATH)])) {
		expect(renewed).toEqual({ schema: changed, isOld: false });
	}
	expect(service.send).toHaveBeenCalledTimes(1);
	expect(await createInputSchemas(service, node).at(PATH)).toEqual({
		schema: changed,
		isOld: true,
	});
});

it('a schema of more than 50,000 characters is not kept', async () => {
	const empty = JSON.stringify({ title: '' }).length;
	const of = (length: number): JsonObject => ({ title: 'x'.repeat(length - empty) });
	for (const [large, isOld] of [
		[of(50_000), true],
		[of(50_001), false],
	] as const) {
		const node = randomUUID();
		await createInputSchemas(serviceThat(large), node).at(PATH);
		expect((await createInputSchemas(serviceThat(large), node).at(PATH)).isOld).toBe(isOld);
	}
});
