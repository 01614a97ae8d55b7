require('tsx/cjs');
const { execFile, spawn } = require('node:child_process');
const { rm } = require('node:fs/promises');
const { Transform } = require('node:stream');
const { promisify } = require('node:util');
const { dest, parallel, series, src } = require('gulp');

const { bundle } = require('./tools/build/bundle.ts');
const { writeOutputSchemas } = require('./tools/build/outputSchemas.ts');
const { addressOf } = require('./tools/release/repository.ts');

async function clean() {
	await rm('dist', { recursive: true, force: true });
}

/** Icons, next to where the compiled credentials and nodes look for them. */
function icons() {
	return src('icons/*.svg', { encoding: false }).pipe(dest('dist/icons'));
}

/** Codex files: the categories, aliases and links that n8n shows for a node. Their links name files of the repository. */
function codex() {
	return src('nodes/**/*.node.json').pipe(withLinks()).pipe(dest('dist/nodes'));
}

function withLinks() {
	return new Transform({
		objectMode: true,
		transform(file, _encoding, done) {
			const codex = JSON.parse(file.contents.toString());
			for (const link of Object.values(codex.resources).flat()) link.url = addressOf(link.url);
			file.contents = Buffer.from(JSON.stringify(codex));
			done(null, file);
		},
	});
}

/** The fields of each operation's output, which n8n shows before anything has run. */
async function schemas() {
	await writeOutputSchemas();
}

/** What n8n would learn by loading every node, so that it loads none before it is used (dist/known, dist/types). */
async function metadata() {
	await promisify(execFile)(process.execPath, [require.resolve('n8n-core/bin/generate-metadata')]);
	await rm('dist/methods', { recursive: true });
}

/** Checks the types, beside the rest: the build writes what it writes without them, and fails when they are wrong. */
function types() {
	const known = ['--incremental', '--tsBuildInfoFile', 'node_modules/.cache/types.json'];
	return spawn(process.execPath, [require.resolve('typescript/bin/tsc'), ...known], {
		stdio: 'inherit',
	});
}

exports.default = parallel(types, series(clean, parallel(icons, codex, bundle, schemas), metadata));
