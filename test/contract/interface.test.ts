import { checkCallbackUrl } from '../../nodes/BrowserAutomation/service/events/callback';
import { isJsonObject } from '../../nodes/BrowserAutomation/service/json/json';
import { Judge } from './document';
import { COMPOSED, nodeOperations, requestsOf, type NamedOperation } from './operations';
import { choicesOf, fill } from './parameters';

let judge: Judge;

beforeAll(async () => {
	judge = await Judge.open();
});

const starting = nodeOperations.filter(
	({ operation }) => 'run' in operation && 'start' in operation.run,
);

/** The forwarding operation stands for seven of the document, one for each method. */
function nodeNameOf(operationId: string): string {
	return operationId.split('.').slice(0, 2).join('.');
}

async function everyRequestOf(operation: NamedOperation) {
	const fillings = Array.from({ length: choicesOf(operation) }, (_, choice) => [
		fill(operation, 'typical', choice),
		fill(operation, 'extreme', choice),
	]).flat();
	const all = [fill(operation, 'empty'), ...fillings];
	return (await Promise.all(all.map(async (raw) => await requestsOf(operation, raw)))).flat();
}

describe('the node and the document cover each other', () => {
	it('has an operation of the node for each of the document, and no other', () => {
		const documented = new Set(judge.operationIds.map(nodeNameOf));
		const offered = nodeOperations.map(({ name }) => name).filter((name) => !(name in COMPOSED));
		expect([...documented].sort()).toEqual([...offered].sort());
	});

	it('reaches each operation of the document by one operation of the node, the list of runs also for the last one', async () => {
		const reachedBy = new Map<string, Set<string>>();
		for (const operation of nodeOperations.filter(({ name }) => !(name in COMPOSED))) {
			for (const request of await everyRequestOf(operation)) {
				const operationId = judge.reached(request) ?? `nothing (${request.method} ${request.path})`;
				reachedBy.set(operationId, (reachedBy.get(operationId) ?? new Set()).add(operation.name));
			}
		}
		const found = Object.fromEntries([...reachedBy].map(([id, names]) => [id, [...names]]));
		const expected = Object.fromEntries(judge.operationIds.map((id) => [id, [nodeNameOf(id)]]));
		expect(found).toEqual({ ...expected, 'run.getAll': ['run.get', 'run.getAll'] });
	});

	it('makes its composed operations of documented ones', async () => {
		const offered = nodeOperations.filter(({ name }) => name in COMPOSED);
		expect(offered.map(({ name }) => name).sort()).toEqual(Object.keys(COMPOSED).sort());
		for (const operation of offered) {
			const requests = await requestsOf(operation, fill(operation, 'typical'));
			expect(requests.map((request) => judge.reached(request))).toEqual(COMPOSED[operation.name]);
		}
	});

	it('starts runs by operations with `run` alone, which wait, remember and count what they start', () => {
		expect(judge.starts().length).toBeGreaterThan(3);
		expect(starting.map(({ name }) => name).sort()).toEqual(judge.starts().sort());
	});
});

describe.each(nodeOperations)('$name', (operation) => {
	it('makes only requests that the document allows', async () => {
		const requests = await everyRequestOf(operation);
		expect(requests.length).toBeGreaterThan(choicesOf(operation));
		for (const request of requests) {
			const faults = judge.faultsOf(request);
			expect({ request, faults }).toEqual({ request, faults: [] });
		}
	});
});

describe('callbacks', () => {
	it.each(starting)('of $name are bound to the same length here and there', async (operation) => {
		const requests = await everyRequestOf(operation);
		const longest = requests
			.reverse()
			.find(({ body }) => isJsonObject(body) && 'callback_url' in body);
		const body = isJsonObject(longest?.body) ? longest.body : {};
		const url = String(body.callback_url);
		expect(checkCallbackUrl(url, 'URL', 'https://service.test')).toBe(url);
		expect(() => checkCallbackUrl(`${url}x`, 'URL', 'https://service.test')).toThrow(/2048/);
		const longer = { ...longest, body: { ...body, callback_url: `${url}x` } };
		expect(judge.faultsOf({ method: 'POST', path: '', ...longer })).toEqual([
			expect.stringContaining('callback_url'),
		]);
	});
});
