import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';

const ROOT = path.join(__dirname, '../..');

/** A line that somebody might plant in a folder of the package. */
interface Plant {
	folder: string;
	code: string;
}

/** Lints plants in a process of its own, because ESLint loads its configuration as a module. */
const LINT = `
	const { ESLint } = require('eslint');
	const eslint = new ESLint();
	Promise.all(JSON.parse(process.argv[1]).map(async ({ folder, code }) => {
		const filePath = 'nodes/BrowserAutomation/' + folder + '/planted.ts';
		const [{ messages }] = await eslint.lintText(code + '\\n', { filePath });
		return messages.map(({ ruleId, message }) => ruleId + ': ' + message);
	})).then((found) => console.log(JSON.stringify(found)));
`;

const plants: Plant[] = [];
let found: string[][] = [];

beforeAll(async () => {
	const { stdout } = await promisify(execFile)(
		process.execPath,
		['-e', LINT, JSON.stringify(plants)],
		{ cwd: ROOT },
	);
	found = JSON.parse(stdout);
}, 120_000);

/** Plants a line; what ESLint says of it is known when the tests run. */
function plant(folder: string, code: string): () => string[] {
	const index = plants.push({ folder, code }) - 1;
	return () => found[index] ?? ['nothing was linted'];
}

const HOUSE = expect.stringMatching(/^import-x\/no-restricted-paths: .*house\.md/);

const imports: Array<[string, string]> = [
	['service', '../fields/reading'],
	['service', '../triggers/poll'],
	['service', '../transport/client'],
	['service/schema', '../../execution/router'],
	['fields', '../execution/router'],
	['fields', '../resources/catalogue'],
	['fields', '../transport/client'],
	['transport', '../fields/reading'],
	['transport', '../execution/failures'],
	['execution', '../resources/catalogue'],
	['execution', '../triggers/poll'],
	['execution', '../methods/listSearch'],
	['execution/waiting', '../../resources/catalogue'],
	['resources/bot', '../../methods/listSearch'],
	['resources/bot', '../../triggers/poll'],
	['resources/bot', '../../BrowserAutomation.node'],
	['triggers', '../resources/catalogue'],
	['methods', '../triggers/poll'],
	['methods', '../resources/catalogue'],
];

for (const [folder, target] of imports) {
	const said = plant(folder, `import '${target}';`);
	it(`an import in ${folder} of ${target} is refused`, () => {
		expect(said()).toContainEqual(HOUSE);
	});
}

const allowed: Array<[string, string]> = [
	['service/schema', '../errors'],
	['fields', '../service/errors'],
	['transport', '../service/errors'],
	['execution/waiting', '../../transport/client'],
	['execution', '../fields/waiting'],
	['resources/bot', '../../execution/handlers'],
	['triggers', '../transport/client'],
	['methods', '../execution/failures'],
];

for (const [folder, target] of allowed) {
	const said = plant(folder, `import '${target}';`);
	it(`an import in ${folder} of ${target} is not`, () => {
		expect(said()).toEqual([]);
	});
}

const ofN8n = plant('service', "import { sleep } from 'n8n-workflow';\nvoid sleep(1);");

it('the service’s room knows no n8n', () => {
	expect(ofN8n()).toContainEqual(expect.stringMatching(/^no-restricted-imports: /));
});

const CALL = `
import type { IExecuteFunctions } from 'n8n-workflow';
export async function planted({ helpers }: IExecuteFunctions): Promise<unknown> {
	return await helpers.httpRequest({ url: 'https://example.com' });
}`;
const TAKEN_OUT = CALL.replace('helpers.httpRequest', 'httpRequest').replace(
	'\treturn',
	'\tconst { httpRequest } = helpers;\n\treturn',
);

for (const folder of ['execution/files', 'triggers', 'methods', 'resources/bot', 'fields']) {
	const said = [plant(folder, CALL), plant(folder, TAKEN_OUT)];
	it(`a request that ${folder} sends itself is refused`, () => {
		for (const words of said) {
			expect(words()).toContainEqual(
				expect.stringMatching(/^no-restricted-syntax: Only transport/),
			);
		}
	});
}

const inTransport = plant('transport', CALL);

it('a request that transport/ sends is not', () => {
	expect(inTransport()).toEqual([]);
});

for (const [name, code] of Object.entries({
	'a loop': 'for (const page of [1, 2]) void page;',
	'a request': 'void ({ send: async () => undefined }).send();',
})) {
	const said = plant('resources/run', code);
	it(`${name} in an operation is refused`, () => {
		expect(said()).toContainEqual(
			expect.stringMatching(/^no-restricted-syntax: Operations hold no loops/),
		);
	});
}
