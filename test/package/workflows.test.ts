import { execFileSync } from 'node:child_process';
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

import manifest from '../../package.json';

/** GitHub's workflows as far as it can be seen without GitHub: what it reads, and what their steps do. */

const project = join(__dirname, '../..');
const workflows = readdirSync(join(project, '.github/workflows'));

it('GitHub’s own parser takes the workflows as they are', () => {
	const tsx = join(project, 'node_modules/.bin/tsx');
	const check = (): string =>
		execFileSync(tsx, [join(project, 'scripts/release/workflows.ts')]).toString();
	expect(check).not.toThrow();
}, 60_000);

interface Step {
	run: string;
	/** When it is run, where that hangs on the environment: `env.NAME == 'value'`. */
	if?: string;
}

/** The commands of a workflow, in their order. */
function stepsOf(file: string): Step[] {
	const { jobs }: { jobs: Record<string, { steps?: Array<Partial<Step>> }> } = parse(
		readFileSync(join(project, '.github/workflows', file), 'utf8'),
	);
	return Object.values(jobs).flatMap(({ steps = [] }) =>
		steps.flatMap(({ run, ...step }) => (run === undefined ? [] : [{ ...step, run }])),
	);
}

const VERSION = '1.0.0';

/** What is told to a step, and does not reach npm's registry, GitHub or this machine's settings. */
const TOOLS = {
	npm: `case "$1" in ci|publish) echo "npm $*" >> "$TOLD" ;; *) exec "$REAL_NPM" "$@" ;; esac`,
	gh: 'echo "gh $*" >> "$TOLD"; cat >> "$TOLD"',
	git: 'echo "git $*" >> "$TOLD"',
};

let copy: string;
let environment: NodeJS.ProcessEnv;

/** A checkout of a project whose publisher has filled in everything, and which has a version to release. */
beforeAll(() => {
	copy = mkdtempSync(join(tmpdir(), 'workflows-'));
	for (const name of ['scripts/release', 'nodes', 'credentials', 'README.md', 'tsconfig.json']) {
		cpSync(join(project, name), join(copy, name), { recursive: true });
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
			'check:service': 'echo "checked with $BROWSER_AUTOMATION_API_KEY" >> "$TOLD"; exit 1',
		},
	};
	writeFileSync(join(copy, 'package.json'), JSON.stringify(filledIn));
	writeFileSync(join(copy, 'CHANGELOG.md'), `## [${VERSION}] - 2026-11-21\n\n- The first.\n`);
	executable('.ci/run', 'echo gate >> "$TOLD"');
	for (const [name, script] of Object.entries(TOOLS)) executable(join('tools', name), script);
	const realNpm = join(dirname(process.execPath), 'npm');
	environment = {
		...process.env,
		PATH: [join(copy, 'tools'), process.env.PATH].join(delimiter),
		REAL_NPM: realNpm,
		TOLD: join(copy, 'told'),
		GITHUB_REF_NAME: `v${VERSION}`,
		GITHUB_WORKSPACE: copy,
	};
});

afterAll(() => rmSync(copy, { recursive: true, force: true }));

function executable(file: string, script: string): void {
	mkdirSync(dirname(join(copy, file)), { recursive: true });
	writeFileSync(join(copy, file), `#!/usr/bin/env bash\n${script}\n`);
	chmodSync(join(copy, file), 0o755);
}

/** Runs the steps of a workflow as GitHub does, one after another. @returns what was told to npm, git and GitHub */
function carryOut(file: string, env = environment): string[] {
	rmSync(join(copy, 'told'), { force: true });
	for (const { run, if: condition } of stepsOf(file)) {
		const [, name = '', value] = /^env\.(\w+) == '(.*)'$/.exec(condition ?? '') ?? [];
		if (value !== undefined && env[name] !== value) continue;
		const shell = ['--noprofile', '--norc', '-eo', 'pipefail', '-c', run];
		execFileSync('bash', shell, { cwd: copy, env, stdio: ['ignore', 'ignore', 'pipe'] });
	}
	return readFileSync(join(copy, 'told'), 'utf8').trim().split('\n');
}

it('a tag is checked, built, published with provenance, and told of on GitHub', () => {
	const told = carryOut('release.yml');
	expect(told.slice(0, 3)).toEqual([
		'npm ci',
		'npm publish --provenance --access public',
		'gh release create v1.0.0 --verify-tag --title v1.0.0 --notes-file -',
	]);
	expect(told.slice(3).join('\n')).toContain('- The first.');
	expect(readFileSync(join(copy, 'README.md'), 'utf8')).toContain('/blob/v1.0.0/docs/');
}, 60_000);

it('a tag that names another version publishes nothing', () => {
	const release = (): string[] =>
		carryOut('release.yml', { ...environment, GITHUB_REF_NAME: 'v9.9.9' });
	expect(release).toThrow('The tag v9.9.9 does not name the version');
	expect(readFileSync(join(copy, 'told'), 'utf8')).toBe('npm ci\n');
}, 60_000);

it('a pull request passes the gate, and a release that publishes nothing', () => {
	expect(carryOut('ci.yml')).toEqual([
		`git config --global --add safe.directory ${copy}`,
		'gate',
		'npm ci',
		'npm publish --dry-run --access public',
	]);
}, 60_000);

describe('the service is checked', () => {
	function checked(hasKey: boolean): () => string[] {
		const key = hasKey ? 'secret' : '';
		return () =>
			carryOut('service.yml', {
				...environment,
				HAS_KEY: String(hasKey),
				BROWSER_AUTOMATION_API_KEY: key,
				GITHUB_STEP_SUMMARY: join(copy, 'told'),
			});
	}

	it('where there is a key, and what differs fails', () => {
		expect(checked(true)).toThrow('check:service');
		expect(readFileSync(join(copy, 'told'), 'utf8')).toBe('npm ci\nchecked with secret\n');
	});

	it('nowhere else, which is said', () => {
		expect(checked(false)()).toEqual([expect.stringContaining('was not checked')]);
	});
});

it('all of them are carried out here', () => {
	expect(workflows.sort()).toEqual(['ci.yml', 'release.yml', 'service.yml']);
});
