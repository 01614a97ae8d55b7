import Ajv from 'ajv';

import { COMPOSED, nodeOperations } from '../contract/operations';
import type { makeHttpServer } from '../../dev/sandbox/http';
import { Judge, type JsonAnswer } from '../contract/document';
import type { CredentialData, Run } from '../core/harness';
import { ActionFixture, apiCredential, forAllTests, signingCredential } from '../fixture';
import { outputSchemas, type OutputSchema } from '../../tools/build/outputSchemas';
import { CALLS, prepareRuns, type PreparedRuns } from './calls';
import { lapseTime } from '../timeLapse';

const mockAnswers: JsonAnswer[] = [];

jest.mock('../../dev/sandbox/http', () => {
	const actual: { makeHttpServer: typeof makeHttpServer } =
		jest.requireActual('../../dev/sandbox/http');
	const noting: typeof makeHttpServer = (...parts) =>
		actual.makeHttpServer(...parts).addHook('onSend', async ({ method, url }, reply, body) => {
			mockAnswers.push({ method, url, status: reply.statusCode, body });
		});
	return { makeHttpServer: noting };
});

const fixture = forAllTests(new ActionFixture());

lapseTime();
let runs: PreparedRuns;
let schemas: Map<string, OutputSchema>;
let judge: Judge;
const answered = new Map<string, Run>();

beforeAll(async () => {
	runs = await prepareRuns(fixture.sandbox);
	schemas = await outputSchemas();
	judge = await Judge.open();
});

/** Only what an operation is supposed to need: nothing at all for the open ones. */
function credentialsFor(resource: string, operation: string): CredentialData {
	if (resource !== 'publicCli') return apiCredential(fixture.sandbox);
	if (['getPackages', 'createApiKeySession', 'getBrowserStartConfig'].includes(operation))
		return {};
	return signingCredential(fixture.sandbox.url);
}

/** Forwarding has an operationId for each method; all are one operation of the node. */
function operationIn(operationId: string): string {
	return operationId.split('.').slice(0, 2).join('.');
}

/** What an item has that its operation's schema does not tell, or tells otherwise. Anything may be missing or null. */
function misfitsOf(schema: OutputSchema, json: unknown): string[] {
	const validate = new Ajv({ allErrors: true, allowUnionTypes: true }).compile(strictly(schema));
	if (validate(json)) return [];
	return (validate.errors ?? []).map(
		({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`,
	);
}

/** The schema with no fields but those it names, in JSON Schema's full sense. */
function strictly({ type, properties, items }: OutputSchema): object {
	const closed = Object.entries(properties ?? {}).map(([name, part]) => [name, strictly(part)]);
	return {
		type: [...new Set([type, 'null'].flat())],
		...(properties !== undefined && {
			properties: Object.fromEntries(closed),
			additionalProperties: false,
		}),
		...(items !== undefined && { items: strictly(items) }),
	};
}

it('has a call for every operation', () => {
	const called = CALLS.map(({ resource, operation }) => `${resource}.${operation}`).sort();
	expect(called).toEqual(nodeOperations.map(({ name }) => name).sort());
});

it.each(CALLS.map((call) => ({ ...call, name: `${call.resource}.${call.operation}` })))(
	'$name works against the service',
	async ({ name, resource, operation, parameters, gives }) => {
		const earlier = (before: string, key: string): string =>
			String(answered.get(`${resource}.${before}`)?.outputs[0]?.[0]?.json[key]);
		await fixture.sandbox.clearRequests();
		mockAnswers.length = 0;

		const settings = parameters(runs, earlier, fixture.sandbox.url);
		const credentials = credentialsFor(resource, operation);
		const run = await fixture.run(resource, operation, settings, { credentials });
		answered.set(name, run);

		expect(run.error).toBeUndefined();
		expect(run.outputs[0]?.[0]?.json).toMatchObject(gives);
		// The interface states some fields of a session; the sandbox has more.
		const known = !('output' in settings) && resource !== 'humanAssist';
		const schema = known ? schemas.get(`${resource}/${operation}`) : undefined;
		for (const { json } of run.outputs[0] ?? []) {
			const misfits = schema === undefined ? [] : misfitsOf(schema, json);
			expect({ json, misfits }).toEqual({ json, misfits: [] });
		}
		const requests = await fixture.sandbox.requests();
		const reached = requests.map((request) => request.operation ?? '');
		expect(reached.map(operationIn)).toContain(COMPOSED[name]?.at(-1) ?? name);
		expect(requests.filter(({ status }) => status !== 200)).toEqual([]);
		expect(mockAnswers).not.toEqual([]);
		expect(mockAnswers.flatMap((answer) => judge.faultsOfAnswer(answer))).toEqual([]);
		if (resource === 'publicCli')
			expect(requests.filter(({ authorized }) => authorized)).toEqual([]);
	},
);
