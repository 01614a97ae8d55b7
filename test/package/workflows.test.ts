import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
	chmodSync,
	cpSync,
	mkdirSync,
	mkdtempSync,
	readdirSync,
	readFileSync,
	rmSync,
	symlinkSync,
	writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { parse } from 'yaml';

import { packPackage } from '../../dev/n8n/packedPackage';
import manifest from '../../package.json';

/** GitHub's workflows as far as it can be seen without GitHub: what it reads, and what their steps do. */

const project = join(__dirname, '../..');
const workflows = readdirSync(join(project, '.github/workflows'));

it('GitHub’s own parser takes the workflows as they are', () => {
	const tsx = join(project, 'node_modules/.bin/tsx');
	const check = (): string =>
		execFileSync(tsx, [join(project, 'tools/release/workflows.ts')]).toString();
	expect(check).not.toThrow();
});

interface Step {
	run: string;
	/** When it is run, where that hangs on the environment: `env.NAME == 'value'`. */
	if?: string;
	uses?: string;
	with?: Record<string, unknown>;
}

interface Workflow {
	permissions?: object;
	jobs: Record<string, { steps?: Array<Partial<Step>> }>;
}

function workflowOf(file: string): Workflow {
	const text = readFileSync(join(project, '.github/workflows', file), 'utf8');
	const workflow: Workflow = parse(text);
	return workflow;
}

/** The commands of a workflow, in their order. */
function stepsOf(file: string): Step[] {
	return Object.values(workflowOf(file).jobs).flatMap(({ steps = [] }) =>
		steps.flatMap(({ run, ...step }) => (run === undefined ? [] : [{ ...step, run }])),
	);
}

const VERSION = '1.0.0';

/** Programs of a step that do not reach npm's registry, GitHub or this machine's settings. */
const TOOLS = {
	npm: `case "$1" in ci|publish) echo "npm $*" >> "$CALLS" ;; *) exec "$REAL_NPM" "$@" ;; esac`,
	npx: 'echo "npx $*" >> "$CALLS"',
	gh: 'echo "gh $*" >> "$CALLS"; cat >> "$CALLS"',
	git: 'echo "git $*" >> "$CALLS"',
	'apt-get': '',
};

let copy: string;
let environment: NodeJS.ProcessEnv;

/** A checkout of a project whose publisher has filled in everything, and which has a version to release. */
beforeAll(() => {
	copy = mkdtempSync(join(tmpdir(), 'workflows-'));
	for (const name of ['tools/release', 'nodes', 'credentials', 'tsconfig.json']) {
		cpSync(join(project, name), join(copy, name), { recursive: true });
	}
	for (const page of ['README.md', 'SECURITY.md']) {
		const text = readFileSync(join(project, page), 'utf8');
		const published = text.replace(/<!-- not published[^]*?not published -->\n/g, '');
		writeFileSync(join(copy, page), published);
	}
	symlinkSync(join(project, 'node_modules'), join(copy, 'node_modules'), 'dir');
	const page = 'https://github.com/somebody/n8n-nodes-browser-automation';
	const filledIn = {
		...manifest,
		version: VERSION,
		author: { name: 'Some Body', email: 'some@body.org' },
		homepage: `${page}#readme`,
		repository: { type: 'git', url: `git+${page}.git` },
		// Building is shown by whatever runs before the tests of this folder.
		scripts: {
			...manifest.scripts,
			build: 'echo built',
			test: 'echo tested',
			properties: 'echo "seeds" >> "$CALLS"; echo',
			bench: 'echo "bench" >> "$CALLS"; echo',
			'check:service': 'echo "checked with $BROWSER_AUTOMATION_API_KEY" >> "$CALLS"; exit 1',
		},
	};
	writeFileSync(join(copy, 'package.json'), JSON.stringify(filledIn));
	writeFileSync(join(copy, 'CHANGELOG.md'), `## [${VERSION}] - 2026-11-21\n\n- The first.\n`);
	executable('.ci/run', 'echo "gate ${PACKAGE_ARCHIVE:-}" >> "$CALLS"');
	for (const [name, script] of Object.entries(TOOLS)) executable(join('tools', name), script);
	const realNpm = join(dirname(process.execPath), 'npm');
	environment = {
		...process.env,
		PATH: [join(copy, 'tools'), process.env.PATH].join(delimiter),
		REAL_NPM: realNpm,
		CALLS: join(copy, 'calls'),
		GITHUB_REF_NAME: `v${VERSION}`,
		GITHUB_REPOSITORY: 'somebody/n8n-nodes-browser-automation',
		GITHUB_OUTPUT: join(copy, 'outputs'),
		TAG: `v${VERSION}`,
		SHA256: '',
		GITHUB_WORKSPACE: copy,
	};
});

afterAll(() => rmSync(copy, { recursive: true, force: true }));

function executable(file: string, script: string): void {
	mkdirSync(dirname(join(copy, file)), { recursive: true });
	writeFileSync(join(copy, file), `#!/usr/bin/env bash\n${script}\n`);
	chmodSync(join(copy, file), 0o755);
}

/**
 * Runs the steps of a workflow as GitHub does, one after another. What a step writes to its outputs is in the environment of
 * the later ones, in capitals, unless it is given. @returns the calls of npm, git and GitHub
 */
function carryOut(file: string, given: Record<string, string> = {}): string[] {
	const outputs = join(copy, 'outputs');
	for (const name of ['calls', 'release'])
		rmSync(join(copy, name), { recursive: true, force: true });
	writeFileSync(outputs, '');
	for (const { run, if: condition } of stepsOf(file)) {
		const written = [...readFileSync(outputs, 'utf8').matchAll(/^(\w+)=(.*)$/gm)];
		const values = Object.fromEntries(
			written.map(([, name = '', value]) => [name.toUpperCase(), value]),
		);
		const env = { ...environment, ...values, ...given };
		const [, name = '', value] = /^env\.(\w+) == '(.*)'$/.exec(condition ?? '') ?? [];
		if (value !== undefined && given[name] !== value) continue;
		const shell = ['--noprofile', '--norc', '-eo', 'pipefail', '-c', run];
		execFileSync('bash', shell, { cwd: copy, env, stdio: ['ignore', 'ignore', 'pipe'] });
	}
	return readFileSync(join(copy, 'calls'), 'utf8').trim().split('\n');
}

const ARCHIVE = `release/n8n-nodes-browser-automation-${VERSION}.tgz`;

it('a tag is checked, built, packed, published as it was packed, and announced on GitHub', () => {
	expect(carryOut('release.yml')).toEqual([
		'npm ci',
		`npm publish ./${ARCHIVE}`,
		`gh release create v1.0.0 ${ARCHIVE} --repo somebody/n8n-nodes-browser-automation --verify-tag --title v1.0.0 --notes-file release/notes.md`,
	]);
	expect(readFileSync(join(copy, 'release/notes.md'), 'utf8')).toContain('- The first.');
	const readme = execFileSync('tar', ['-xzOf', join(copy, ARCHIVE), 'package/README.md']);
	expect(readme.toString()).toContain('/blob/v1.0.0/docs/');
	const { publishConfig } = manifest;
	expect(publishConfig).toEqual({ access: 'public', provenance: true });
});

it('an archive that is not the tested one is not published', () => {
	expect(() => carryOut('release.yml', { SHA256: '0'.repeat(64) })).toThrow('did NOT match');
	expect(readFileSync(join(copy, 'calls'), 'utf8')).toBe('npm ci\n');
});

it('a tag that names another version publishes nothing', () => {
	expect(() => carryOut('release.yml', { TAG: 'v9.9.9' })).toThrow(
		'The tag v9.9.9 does not name the version',
	);
	expect(readFileSync(join(copy, 'calls'), 'utf8')).toBe('npm ci\n');
});

it('a release is tested with the very archive that is published', async () => {
	carryOut('release.yml');
	const archive = join(copy, ARCHIVE);
	const sha256 = createHash('sha256').update(readFileSync(archive)).digest('hex');
	process.env.PACKAGE_ARCHIVE = archive;
	try {
		expect(await packPackage()).toMatchObject({ name: manifest.name, archive });
	} finally {
		delete process.env.PACKAGE_ARCHIVE;
	}
	expect(gate(sha256)).toContain(`gate ${archive}`);
	expect(() => gate('0'.repeat(64))).toThrow('did NOT match');
});

/** Carries CI's gate out with an archive that is to have this hash. */
function gate(sha256: string): string[] {
	const step = stepsOf('ci.yml').find(({ run }) => run.includes('.ci/run'));
	rmSync(join(copy, 'calls'), { force: true });
	const shell = ['--noprofile', '--norc', '-eo', 'pipefail', '-c', step?.run ?? ''];
	const env = { ...environment, SHA256: sha256 };
	execFileSync('bash', shell, { cwd: copy, env, stdio: ['ignore', 'ignore', 'pipe'] });
	return readFileSync(join(copy, 'calls'), 'utf8').trim().split('\n');
}

it('a pull request passes the gate, and a release that publishes nothing', () => {
	expect(carryOut('ci.yml')).toEqual([
		`git config --global --add safe.directory ${copy}`,
		'gate ',
		'npm ci',
		'npm ci',
		'npm publish --dry-run',
	]);
});

describe('the service is checked', () => {
	function checked(hasKey: boolean): () => string[] {
		const key = hasKey ? 'secret' : '';
		return () =>
			carryOut('service.yml', {
				HAS_KEY: String(hasKey),
				BROWSER_AUTOMATION_API_KEY: key,
				GITHUB_STEP_SUMMARY: join(copy, 'calls'),
			});
	}

	it('where there is a key, and what differs fails', () => {
		expect(checked(true)).toThrow('check:service');
		expect(readFileSync(join(copy, 'calls'), 'utf8')).toBe('npm ci\nchecked with secret\n');
	});

	it('nowhere else, which is said', () => {
		expect(checked(false)()).toEqual([expect.stringContaining('was not checked')]);
	});
});

it('random values that the gate does not play, and each row of the benchmarks, are tried each night', () => {
	const calls = ['npm ci', 'seeds', 'npm ci', 'npx jest test/fuzz', 'npm ci', 'bench'];
	expect(carryOut('nightly.yml')).toEqual(calls);
});

it('the gate passes on each Node that a supported n8n runs on; Windows and macOS are tried', () => {
	const { jobs } = workflowOf('ci.yml');
	const { gate, 'other-systems': others } = jobs;
	expect(gate).toMatchObject({
		strategy: { matrix: { node: [20, 22, 24] } },
		container: 'node:${{ matrix.node }}-trixie',
	});
	expect(others).toMatchObject({
		strategy: { matrix: { system: ['windows-latest', 'macos-latest'] } },
		'runs-on': '${{ matrix.system }}',
	});
	expect(others?.steps?.map(({ run }) => run).slice(-2)).toEqual(['npm ci', 'npm test']);
});

it.each(workflows)('%s may only read, and keeps no token in its checkout', (file) => {
	const { permissions, jobs } = workflowOf(file);
	expect(permissions).toEqual({ contents: 'read' });
	const checkouts = Object.values(jobs)
		.flatMap(({ steps = [] }) => steps)
		.filter(({ uses = '' }) => uses.startsWith('actions/checkout@'));
	expect(checkouts.map((step) => step.with?.['persist-credentials'])).toEqual(
		checkouts.map(() => false),
	);
});

it('all of them are carried out here', () => {
	expect(workflows.sort()).toEqual(['ci.yml', 'nightly.yml', 'release.yml', 'service.yml']);
});
