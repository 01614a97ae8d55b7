import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';

const ROOT = path.join(__dirname, '../..');

/** A line that somebody might plant in a folder of the package, or in the place of one of its files. */
interface Plant {
	place: string;
	code: string;
}

/**
 * Lints plants in a process of its own, because ESLint loads its configuration as a module. Types are
 * only known of files that are there.
 */
const LINT = `
	const { ESLint } = require('eslint');
	const { disableTypeChecked } = require('typescript-eslint').configs;
	const withTypes = new ESLint();
	const withoutTypes = new ESLint({ overrideConfig: disableTypeChecked });
	Promise.all(JSON.parse(process.argv[1]).map(async ({ place, code }) => {
		const isFile = place.endsWith('.ts');
		const filePath = 'nodes/BrowserAutomation/' + place + (isFile ? '' : '/planted.ts');
		const eslint = isFile ? withTypes : withoutTypes;
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
function plant(place: string, code: string): () => string[] {
	const index = plants.push({ place, code }) - 1;
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

for (const [name, { code, rule }] of Object.entries({
	'a promise that nobody waits for': {
		code: 'Promise.resolve(1);',
		rule: 'no-floating-promises',
	},
	'a promise in the place of a condition': {
		code: 'if (Promise.resolve(false)) throw new Error();',
		rule: 'no-misused-promises',
	},
	'a value of which nothing is known': {
		code: "export const { length } = JSON.parse('[]');",
		rule: 'no-unsafe-assignment',
	},
	'an Express response that is not typed': {
		code: "import type { IWebhookFunctions } from 'n8n-workflow';\nexport const end = (context: IWebhookFunctions): void => void context.getResponseObject().end();",
		rule: 'no-unsafe-call',
	},
})) {
	const said = plant('execution/webhook.ts', code);
	it(`${name} is refused`, () => {
		expect(said()).toContainEqual(expect.stringContaining(`@typescript-eslint/${rule}: `));
	});
}
