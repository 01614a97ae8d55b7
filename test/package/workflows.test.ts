import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
	chmodSync,
	cpSync,
	existsSync,
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
import { read, ROOT } from '../project/markdown';

/** GitHub's workflows as far as it can be seen without GitHub: what it reads, and what their steps do. */

const workflows = ['ci.yml', 'nightly.yml', 'release.yml', 'service.yml'];

it('GitHub’s own parser takes the workflows as they are', () => {
	const tsx = join(ROOT, 'node_modules/.bin/tsx');
	const check = () => execFileSync(tsx, [join(ROOT, 'tools/release/workflows.ts')]);
	expect(check).not.toThrow();
	expect(readdirSync(join(ROOT, '.github/workflows')).sort()).toEqual(workflows);
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
	const workflow: Workflow = parse(read(join('.github/workflows', file)));
	return workflow;
}

/** The commands of a workflow, or of one of its jobs, in their order. */
function stepsOf(file: string, only?: string): Step[] {
	return Object.entries(workflowOf(file).jobs)
		.filter(([name]) => only === undefined || name === only)
		.flatMap(([, { steps = [] }]) => steps)
		.flatMap(({ run, ...step }) => (run === undefined ? [] : [{ ...step, run }]));
}

const VERSION = '1.0.0';

/** Programs of a step that do not reach npm's registry, GitHub or this machine's settings. */
const TOOLS = {
	npm: `case "$1" in ci|publish) echo "npm $*" >> "$CALLS" ;; *) exec "$REAL_NPM" "$@" ;; esac`,
	gh: 'echo "gh $*" >> "$CALLS"; cat >> "$CALLS"',
	git: 'echo "git $*" >> "$CALLS"',
};

let copy: string;
let environment: NodeJS.ProcessEnv;

/** A checkout of a project whose publisher has filled in everything, and which has a version to release. */
beforeAll(() => {
	copy = mkdtempSync(join(tmpdir(), 'workflows-'));
	for (const name of ['tools/release', 'nodes', 'credentials', 'tsconfig.json']) {
		cpSync(join(ROOT, name), join(copy, name), { recursive: true });
	}
	for (const page of ['README.md', 'SECURITY.md']) {
		const published = read(page).replace(/<!-- not published[^]*?not published -->\n/g, '');
		writeFileSync(join(copy, page), published);
	}
	symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'), 'dir');
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
			'check:service': 'echo "checked with $BROWSER_AUTOMATION_API_KEY" >> "$CALLS"; exit 1',
		},
	};
	writeFileSync(join(copy, 'package.json'), JSON.stringify(filledIn));
	writeFileSync(join(copy, 'CHANGELOG.md'), `## [${VERSION}] - 2026-11-21\n\n- The first.\n`);
	executable('.ci/run', 'echo "gate ${PACKAGE_ARCHIVE:-}" >> "$CALLS"');
	for (const [name, script] of Object.entries(TOOLS)) executable(join('tools', name), script);
	environment = {
		...process.env,
		PATH: [join(copy, 'tools'), process.env.PATH].join(delimiter),
		REAL_NPM: join(dirname(process.execPath), 'npm'),
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

/** Runs the steps of a workflow, or of one of its jobs, as GitHub does: outputs of a step are in the environment of later ones. @returns what they called */
function carryOut(file: string, given: Record<string, string> = {}, only?: string): string[] {
	const outputs = join(copy, 'outputs');
	rmSync(join(copy, 'calls'), { force: true });
	writeFileSync(outputs, '');
	for (const { run, if: condition } of stepsOf(file, only)) {
		const written = [...readFileSync(outputs, 'utf8').matchAll(/^(\w+)=(.*)$/gm)];
		const values = written.map(([, name = '', value]) => [name.toUpperCase(), value]);
		const env = { ...environment, ...Object.fromEntries(values), ...given };
		const [, name = '', value] = /^env\.(\w+) == '(.*)'$/.exec(condition ?? '') ?? [];
		if (value !== undefined && given[name] !== value) continue;
		const shell = ['--noprofile', '--norc', '-eo', 'pipefail', '-c', run];
		execFileSync('bash', shell, { cwd: copy, env, stdio: ['ignore', 'ignore', 'pipe'] });
	}
	return calls();
}

/** What the last workflow called, also one that failed. */
function calls(): string[] {
	return existsSync(join(copy, 'calls'))
		? readFileSync(join(copy, 'calls'), 'utf8').trim().split('\n')
		: [];
}

const ARCHIVE = `release/n8n-nodes-browser-automation-${VERSION}.tgz`;
const OTHER = '0'.repeat(64);

describe('a tag', () => {
	let released: string[] = [];

	beforeAll(() => (released = carryOut('release.yml')));

	it('is checked, built, packed, published as it was packed, and announced on GitHub', () => {
		expect(released).toEqual([
			'npm ci',
			`npm publish ./${ARCHIVE}`,
			`gh release create v1.0.0 ${ARCHIVE} --repo somebody/n8n-nodes-browser-automation --verify-tag --title v1.0.0 --notes-file release/notes.md`,
		]);
		expect(readFileSync(join(copy, 'release/notes.md'), 'utf8')).toContain('- The first.');
		const readme = execFileSync('tar', ['-xzOf', join(copy, ARCHIVE), 'package/README.md']);
		expect(readme.toString()).toContain('/blob/v1.0.0/docs/');
		expect(manifest.publishConfig).toEqual({ access: 'public', provenance: true });
	});

	it('publishes no archive that is not the tested one', () => {
		expect(() => carryOut('release.yml', { SHA256: OTHER }, 'publish')).toThrow('did NOT match');
		expect(calls()).toEqual([]);
	});

	it('is tested with the very archive that is published', async () => {
		const archive = join(copy, ARCHIVE);
		process.env.PACKAGE_ARCHIVE = archive;
		try {
			expect(await packPackage()).toMatchObject({ name: manifest.name, archive });
		} finally {
			delete process.env.PACKAGE_ARCHIVE;
		}
		const SHA256 = createHash('sha256').update(readFileSync(archive)).digest('hex');
		expect(carryOut('ci.yml', { SHA256 }, 'gate')).toContain(`gate ${archive}`);
		expect(() => carryOut('ci.yml', { SHA256: OTHER }, 'gate')).toThrow('did NOT match');
	});

	it('that names another version publishes nothing', () => {
		expect(() => carryOut('release.yml', { TAG: 'v9.9.9' })).toThrow(
			'The tag v9.9.9 does not name the version',
		);
		expect(calls()).toEqual(['npm ci']);
	});
});

it.each([
	['true', 'secret', ['npm ci', 'checked with secret'], 'check:service'],
	['false', '', [expect.stringContaining('was not checked')], undefined],
])('the service is checked with key (%s): what differs fails', (HAS_KEY, key, called, failure) => {
	const check = () =>
		carryOut('service.yml', {
			...{ HAS_KEY, BROWSER_AUTOMATION_API_KEY: key },
			GITHUB_STEP_SUMMARY: join(copy, 'calls'),
		});
	if (failure === undefined) check();
	else expect(check).toThrow(failure);
	expect(calls()).toEqual(called);
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
