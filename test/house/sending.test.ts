import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

const ROOT = join(__dirname, '../..');

/** What ESLint says about a file with this text in a folder of the node. */
function lint(folder: string, text: string): string {
	const file = join(ROOT, 'nodes/BrowserAutomation', folder, 'planted.ts');
	const eslint = join(ROOT, 'node_modules/eslint/bin/eslint.js');
	const args = [eslint, '--stdin', '--stdin-filename', file];
	return spawnSync(process.execPath, args, { cwd: ROOT, input: text, encoding: 'utf8' }).stdout;
}

const CALL = `import type { IExecuteFunctions } from 'n8n-workflow';

export async function send(context: IExecuteFunctions, url: string): Promise<void> {
	await context.helpers.httpRequest({ url });
}
`;
const TAKEN = CALL.replace('context.helpers.httpRequest', 'httpRequest').replace(
	'	await',
	'	const { httpRequest } = context.helpers;\n	await',
);

it.each([
	['a call', CALL],
	['a helper that was taken out', TAKEN],
])(
	'only transport/ sends requests: %s',
	(_, text) => {
		expect(lint('execution', text)).toContain('Only transport/ sends requests');
		expect(lint('transport', text)).not.toContain('Only transport/');
	},
	60_000,
);
