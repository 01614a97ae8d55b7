import fc from 'fast-check';

import { checkCallbackUrl } from '../../nodes/BrowserAutomation/service/events/callback';
import { InputError } from '../../nodes/BrowserAutomation/service/errors';
import { textAt } from '../../nodes/BrowserAutomation/service/json/json';
import type { ServiceRequest } from '../../nodes/BrowserAutomation/service/http/request';
import { attempts } from '../randomValues';
import { Judge } from './document';
import { nodeOperations, requestsOf, type NamedOperation, type RawParameters } from './operations';
import { fill } from './parameters';

const SERVICE = 'https://service.test';

let judge: Judge;

beforeAll(async () => {
	judge = await Judge.open();
});

const oddValue: fc.Arbitrary<unknown> = fc.oneof(
	fc.jsonValue({ maxDepth: 3 }),
	fc.json({ maxDepth: 3 }),
	fc.string({ unit: 'binary', maxLength: 300 }),
	fc.string().map((text) => `https://example.com/${text}`),
	fc.webUrl({ withQueryParameters: true, withFragments: true }),
	fc.constantFrom(undefined, '', ' ', '..', '\ud800', 2 ** 53, NaN),
);

/** Anything that a parameter can hold: what the field expects, or in two of three cases something odd. */
function anyValue(expected: unknown): fc.Arbitrary<unknown> {
	return fc.oneof(fc.constant(expected), { weight: 2, arbitrary: oddValue });
}

/** Any parameters for an operation: those it expects, each replaced by anything or left, those of a group one by one. */
function anyParameters(named: NamedOperation): fc.Arbitrary<RawParameters> {
	const groups = named.operation.fields.flatMap(({ under }) => under ?? []);
	return fc
		.tuple(fc.constantFrom('typical', 'extreme'), fc.nat(10))
		.chain(([filling, choice]) => anyOf(fill(named, filling, choice), groups));
}

function anyOf(expected: RawParameters, groups: readonly string[]): fc.Arbitrary<RawParameters> {
	const parts = Object.entries(expected).map(([name, value]) => {
		const one = groups.includes(name) ? anyOf(Object(value), []) : anyValue(value);
		return fc.tuple(fc.constant(name), one);
	});
	return fc.tuple(...parts).map((entries) => Object.fromEntries(entries));
}

/** What is checked of the callbacks before a run is started. */
function checkCallbacks({ body }: ServiceRequest): void {
	for (const name of ['callback_url', 'status_change_callback_url']) {
		const url = textAt(body, name);
		if (url !== undefined) checkCallbackUrl(url, name, SERVICE);
	}
}

describe.each(nodeOperations)('$name', (operation) => {
	it('makes a valid request of any parameters, or says before it what is wrong', async () => {
		await fc.assert(
			fc.asyncProperty(anyParameters(operation), async (raw) => {
				let requests: ServiceRequest[];
				try {
					requests = await requestsOf(operation, raw);
					requests.forEach(checkCallbacks);
				} catch (error) {
					expect(error).toBeInstanceOf(InputError);
					return;
				}
				for (const request of requests) expect(judge.faultsOf(request)).toEqual([]);
			}),
			attempts(60),
		);
	});
});
