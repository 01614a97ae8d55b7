import { createRequire } from 'node:module';

import { readShown } from './shown';

/** What n8n's assistants get of a node type, by the code that n8n's catalogue calls (2.41: mcp-registry/synthesize-type-def.js). */
const { generateNodeTypeFile }: { generateNodeTypeFile(description: object): string } =
	createRequire(require.resolve('n8n-core'))('@n8n/workflow-sdk');

describe('what assistants that write workflows get of the action node', () => {
	let definition = '';

	beforeAll(async () => {
		const { nodes } = await readShown();
		const action = nodes.find(({ name }) => name === 'browserAutomation');
		definition = generateNodeTypeFile({ ...action });
	});

	it('has an example of running a bot, and where the list of bots comes from', () => {
		const [, run = ''] = /BotRunParams = \{([^]*?)\n\};/.exec(definition) ?? [];
		expect(run).toContain('<patterns>');
		expect(run).toContain('@searchListMethod searchBots');
		expect(run).toContain('input_schema that Bot > Get gives');
		const [, example = ''] = /<patterns>([^]*)<\/patterns>/.exec(run) ?? [];
		const [, parameters = ''] = /\{\n([^]*)\n[ *]*\}/.exec(example) ?? [];
		const names = [
			...parameters.replace(/input: \{.*?\}/, "input: ''").matchAll(/(\w+): (?=['{])/g),
		].map(([, name]) => name);
		expect(names).toEqual(expect.arrayContaining(['botId', 'files', 'waiting']));
		const known = new RegExp(`\\b(${names.join('|')})\\??: `, 'g');
		const typed = run.replace(/<patterns>[^]*<\/patterns>/, '');
		expect(new Set([...typed.matchAll(known)].map(([, name]) => name))).toEqual(new Set(names));
	});

	it('is bounded: of packages that are not its own, n8n gives every operation with all its fields, whichever is asked for', () => {
		expect(definition.match(/requestsAtATime|responseTimeout|concurrency/g)).toBeNull();
		expect(Buffer.byteLength(definition)).toBeLessThan(40 * 1024);
	});

	it('has no older API, which has a successor: people choose it in the node', () => {
		expect(definition).toContain("resource: 'template'");
		expect(definition).not.toMatch(/resource: '(?:workflow|workflowTemplate|task)'/);
	});
});
