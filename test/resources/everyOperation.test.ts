import { COMPOSED, nodeOperations } from '../contract/operations';
import type { CredentialData, Run } from '../core/harness';
import { ActionFixture, apiCredential, forAllTests, signingCredential } from '../fixture';
import { outputSchemas, type OutputSchema } from '../../tools/build/outputSchemas';
import { CALLS, prepareRuns, type PreparedRuns } from './calls';
import { misfitsOf } from './outputFit';
import { lapseTime } from '../timeLapse';

jest.mock('n8n-workflow', () => jest.requireActual<{ lapsed(): object }>('../timeLapse').lapsed());

/** The interface states some fields of a session; the sandbox has more. */
const WITH_FIELDS_OF_ITS_OWN = 'humanAssist';

const fixture = forAllTests(new ActionFixture());

lapseTime();
let runs: PreparedRuns;
let schemas: Map<string, OutputSchema>;
const answered = new Map<string, Run>();

beforeAll(async () => {
	runs = await prepareRuns(fixture.sandbox);
	schemas = await outputSchemas();
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

		const settings = parameters(runs, earlier, fixture.sandbox.url);
		const run = await fixture.run(resource, operation, settings, {
			credentials: credentialsFor(resource, operation),
		});
		answered.set(name, run);

		expect(run.error).toBeUndefined();
		expect(run.outputs[0]?.[0]?.json).toMatchObject(gives);
		const known = !('output' in settings) && resource !== WITH_FIELDS_OF_ITS_OWN;
		const schema = known ? schemas.get(`${resource}/${operation}`) : undefined;
		for (const { json } of run.outputs[0] ?? []) {
			const misfits = schema === undefined ? [] : misfitsOf(schema, json);
			expect({ json, misfits }).toEqual({ json, misfits: [] });
		}
		const requests = await fixture.sandbox.requests();
		const reached = requests.map((request) => request.operation ?? '');
		expect(reached.map(operationIn)).toContain(COMPOSED[name]?.at(-1) ?? name);
		expect(requests.filter(({ status }) => status !== 200)).toEqual([]);
		if (resource === 'publicCli')
			expect(requests.filter(({ authorized }) => authorized)).toEqual([]);
	},
);
