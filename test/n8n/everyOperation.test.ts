import { fetchAlone } from '../../dev/fetchAlone';
import type { Credential } from '../../dev/n8n/client';
import { isRecord } from '../../dev/n8n/json';
import type { NodeSketch } from '../../dev/n8n/workflow';
import { signingCredential } from '../fixture/credentials';
import { ACTION, POLLING_TRIGGER, TOOL, TRIGGER } from '../fixture/nodeTypes';
import { CALLS, prepareRuns, type Call, type PreparedRuns } from '../resources/calls';
import { useBench } from './useBench';
import { refersTo } from './workbench';

const OPEN = ['getPackages', 'createApiKeySession', 'getBrowserStartConfig'];

const bench = useBench();
let runs: PreparedRuns;
let signing: Credential;

beforeAll(async () => {
	runs = await prepareRuns(bench().sandbox);
	signing = await bench().client.createCredential(
		'Browser Automation signing',
		'browserAutomationSigningApi',
		signingCredential(bench().sandbox.url).browserAutomationSigningApi,
	);
});

/** A node for a call. It runs once, however many items come before, and has only what it needs. */
function nodeFor({ resource, operation, parameters }: Call): NodeSketch {
	const earlier = (before: string, key: string): string =>
		`={{ $('${before}').first().json.${key} }}`;
	const credentials = OPEN.includes(operation) ? {} : refersTo(signing);
	return bench().botNode(
		{ resource, operation, ...parameters(runs, earlier, bench().sandbox.url) },
		{ name: operation, executeOnce: true, ...(resource === 'publicCli' && { credentials }) },
	);
}

const resources = [...new Set(CALLS.map(({ resource }) => resource))];

it.each(resources)('every operation of %s works', async (resource) => {
	const calls = CALLS.filter((call) => call.resource === resource);
	const execution = await bench().runLine(calls.map(nodeFor));

	expect(execution.failure).toBeUndefined();
	expect(execution.status).toBe('success');
	for (const { operation, gives } of calls) {
		const [json] = execution.json(operation);
		expect({ operation, json }).toMatchObject({ operation, json: gives });
	}
});

it('is known to n8n as an action, a tool of agents and two triggers, each found by its aliases', async () => {
	const { url, headers } = bench().client.session;
	const types: unknown = await (await fetchAlone(`${url}/types/nodes.json`, { headers })).json();
	const nodes = Array.isArray(types) ? types.filter(isRecord) : [];
	const own = nodes.filter(({ name }) => String(name).startsWith('n8n-nodes-browser-automation.'));
	const names = [ACTION, POLLING_TRIGGER, TOOL, TRIGGER];
	expect(own.map(({ name }) => name).sort()).toEqual(names);
	const alias = expect.arrayContaining(['browseract']);
	for (const { codex } of own) expect(codex).toMatchObject({ alias });
});
