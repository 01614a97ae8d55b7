import { build, type BuildOptions, type Plugin } from 'esbuild';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';

import manifest from '../../package.json';

const project = path.join(__dirname, '../..');

/** What all nodes share: n8n loads a node by a small file that takes its class from here. */
const SHARED = 'dist/browserAutomation.js';

/** TypeScript without its comments: esbuild by itself keeps those inside classes. */
const withoutComments: Plugin = {
	name: 'without comments',
	setup({ onLoad }) {
		onLoad({ filter: /\.ts$/ }, ({ path: fileName }) => ({
			contents: ts.transpileModule(readFileSync(fileName, 'utf8'), {
				fileName,
				compilerOptions: {
					target: ts.ScriptTarget.ES2022,
					module: ts.ModuleKind.ESNext,
					removeComments: true,
				},
			}).outputText,
			loader: 'js',
		}));
	},
};

const SETTINGS = {
	absWorkingDir: project,
	bundle: true,
	platform: 'node',
	format: 'cjs',
	target: 'node20',
	// n8n brings the packages that nodes may import.
	packages: 'external',
	legalComments: 'none',
	plugins: [withoutComments],
} satisfies BuildOptions;

/**
 * Writes what n8n loads: all nodes in one file, a small file an entry of package.json, and each credential by itself, as n8n
 * loads credentials when it starts and nodes when they are used. Nothing is minified, names stay as they are.
 */
export async function bundle(): Promise<void> {
	const nodes = manifest.n8n.nodes.map((file) => ({ file, className: classIn(file) }));
	await build({
		...SETTINGS,
		stdin: {
			contents: nodes
				.map(({ file, className }) => `export { ${className} } from './${sourceOf(file)}';`)
				.join('\n'),
			resolveDir: project,
			sourcefile: 'index.ts',
			loader: 'ts',
		},
		outfile: SHARED,
	});
	for (const { file, className } of nodes) {
		const shared = path.posix.relative(path.posix.dirname(file), SHARED);
		write(file, `exports.${className} = require('${shared}').${className};\n`);
	}
	for (const file of manifest.n8n.credentials) {
		await build({ ...SETTINGS, entryPoints: [sourceOf(file)], outfile: file });
	}
}

/** `dist/credentials/A.credentials.js` -> `credentials/A.credentials.ts` */
function sourceOf(file: string): string {
	return file.replace(/^dist\//, '').replace(/\.js$/, '.ts');
}

/** `dist/nodes/A/A.node.js` -> `A`, as n8n finds the class of a file. */
function classIn(file: string): string {
	return path.basename(file).split('.')[0] ?? '';
}

function write(file: string, text: string): void {
	mkdirSync(path.dirname(path.join(project, file)), { recursive: true });
	writeFileSync(path.join(project, file), text);
}
