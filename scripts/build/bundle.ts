import { decode, encode } from '@jridgewell/sourcemap-codec';
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
					inlineSourceMap: true,
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
	sourcemap: 'linked',
	sourcesContent: false,
	plugins: [withoutComments],
	write: false,
} satisfies BuildOptions;

/**
 * Writes what n8n loads: all nodes in one file, a small file an entry of package.json, and each credential by itself, as n8n
 * loads credentials when it starts and nodes when they are used. Nothing is minified, names stay as they are.
 */
export async function bundle(): Promise<void> {
	const nodes = manifest.n8n.nodes.map((file) => ({ file, className: classIn(file) }));
	await writeBundle({
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
		await writeBundle({ entryPoints: [sourceOf(file)], outfile: file });
	}
}

async function writeBundle(options: BuildOptions): Promise<void> {
	const { outputFiles } = await build({ ...SETTINGS, ...options, write: false });
	for (const { path: file, text } of outputFiles) {
		write(path.relative(project, file), file.endsWith('.map') ? linesOnly(text) : text);
	}
}

/**
 * A source map that knows lines, not columns: n8n names the file and the line of an error by it (it installs
 * source-map-support), at a tenth of the size.
 */
function linesOnly(text: string): string {
	const map: unknown = JSON.parse(text);
	if (!isSourceMap(map)) throw new Error('esbuild wrote no source map.');
	const lines = decode(map.mappings).map((segments) =>
		segments
			.slice(0, 1)
			.map(([, source = 0, line = 0]): [number, number, number, number] => [0, source, line, 0]),
	);
	return JSON.stringify({ ...map, names: [], mappings: encode(lines) });
}

function isSourceMap(value: unknown): value is { mappings: string } {
	return typeof value === 'object' && value !== null && 'mappings' in value;
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
