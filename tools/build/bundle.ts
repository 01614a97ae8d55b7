import { build, type BuildOptions, type Plugin } from 'esbuild';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';

import manifest from '../../package.json';

const project = path.join(__dirname, '../..');

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
 * Writes what n8n loads: all nodes in one file, all credentials in another, as n8n loads credentials when it starts and nodes
 * when they are used; and a small file for each entry of package.json. Nothing is minified, names stay as they are.
 */
export async function bundle(): Promise<void> {
	await bundleTogether(manifest.n8n.nodes, 'dist/browserAutomation.js');
	await bundleTogether(manifest.n8n.credentials, 'dist/browserAutomationCredentials.js');
}

/** Bundles the classes of these files into one. n8n loads a class by a small file that takes it from there. */
async function bundleTogether(files: string[], shared: string): Promise<void> {
	const contents = files.map((file) => `export { ${classIn(file)} } from './${sourceOf(file)}';`);
	await build({
		...SETTINGS,
		stdin: {
			contents: contents.join('\n'),
			resolveDir: project,
			sourcefile: 'index.ts',
			loader: 'ts',
		},
		outfile: shared,
	});
	for (const file of files) {
		const from = path.posix.relative(path.posix.dirname(file), shared);
		write(file, `exports.${classIn(file)} = require('${from}').${classIn(file)};\n`);
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
