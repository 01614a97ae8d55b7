import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';

import manifest from '../../package.json';
import { problemsOf, UNKNOWN } from '../../tools/release/checks';
import { addressOf, repositoryPage, withAddresses } from '../../tools/release/repository';
import { isThere, read, ROOT } from '../project/markdown';

function documentationOf(codex: string): string[] {
	const { resources }: { resources: { primaryDocumentation: Array<{ url: string }> } } = JSON.parse(
		read(codex),
	);
	return resources.primaryDocumentation.map(({ url }) => url);
}

const page = (owner: string): string => `https://github.com/${owner}/n8n-nodes-browser-automation`;

function ownedBy(owner: string, name: string, email: string) {
	return {
		...manifest,
		version: '1.0.0',
		author: { name, email },
		homepage: `${page(owner)}#readme`,
		repository: { type: 'git', url: `git+${page(owner)}.git` },
	};
}

const filledIn = ownedBy('somebody', 'Some Body', 'some@body.org');
const changelog = '# Changelog\n\n## [Unreleased]\n\n## [1.0.0] - 2026-11-21\n\n- The first.\n';

interface Job {
	environment?: string;
	permissions?: object;
	steps?: object[];
}

describe('the check of a release', () => {
	it('lists all that a publisher has to fill in', () => {
		const unknown = ownedBy(UNKNOWN.owner, UNKNOWN.name, UNKNOWN.email);
		const pages = { 'README.md': read('README.md'), 'SECURITY.md': read('SECURITY.md') };
		const all = '## [Unreleased]\n\n- All.\n';
		const problems = problemsOf({ manifest: unknown, changelog: all, pages });
		expect(problems.map((problem) => problem.split(/ is |, lines/)[0])).toEqual([
			'package.json: repository.url',
			'package.json: homepage',
			'package.json: author.name',
			'package.json: author.email',
			'CHANGELOG.md: there',
			'README.md',
			'SECURITY.md',
		]);
	});

	it('names the lines that say what to do until the package is published', () => {
		const page = 'a\n<!-- not published -->\n\nb\n\n<!-- /not published -->\nc';
		expect(problemsOf({ manifest: filledIn, changelog, pages: { 'README.md': page } })).toEqual([
			'README.md, lines 2 to 6: take them out; they say what to do until the package is published.',
		]);
		const [, lines = ''] = /not published -->([^]*?)<!-- .not/.exec(read('README.md')) ?? [];
		expect(lines).toContain('npm pack');
	});

	it('refuses a tag that names another version, and a version without its changes', () => {
		expect(problemsOf({ manifest: filledIn, changelog, pages: {}, tag: 'v1.0.1' })).toEqual([
			'The tag v1.0.1 does not name the version in package.json: v1.0.0.',
		]);
		const empty = '## [1.0.0] - 2026-11-21\n\n## [0.9.0] - 2026-11-20\n\n- Before.\n';
		expect(problemsOf({ manifest: filledIn, changelog: empty, pages: {} })).toHaveLength(1);
	});
});

it('has npm trust the job that publishes, which runs nothing but what it was handed', () => {
	const file = 'release.yml';
	const { jobs }: { jobs: Record<string, Job> } = parse(read(`.github/workflows/${file}`));
	const { publish, ...others } = jobs;
	expect(JSON.stringify(publish?.steps)).not.toMatch(/npm (?:ci|install|run)|checkout/);
	expect(read('CONTRIBUTING.md')).toContain(
		`--file ${file} --repo OWNER/${manifest.name} --env ${publish?.environment} --allow-publish`,
	);
	const permissions = Object.values(others).map((job) => job.permissions);
	expect(permissions).toEqual([undefined, undefined]);
});

it('names the repository in package.json alone', () => {
	const repository = repositoryPage(manifest).replace('https://', '');
	const tracked = execFileSync('git', ['grep', '-lF', repository], { cwd: ROOT, encoding: 'utf8' });
	expect(tracked.trim().split('\n')).toEqual(['package.json']);
});

it('publishes a README whose links and pictures lead to files of the released version', () => {
	const readme = read('README.md');
	const published = withAddresses(readme);
	expect(published).not.toMatch(/\]\((?!#|https?:)|src="(?!https?:)/);
	const files = [...readme.matchAll(/\]\((?!#|[a-z]+:)([^)\s]+)\)/g)].map(([, file = '']) => file);
	for (const file of files) expect(published).toContain(`](${addressOf(file)})`);
	expect(published).toContain(`/raw/v${manifest.version}/docs/images/`);
});

it('gives each node a page of its own', () => {
	const pages = manifest.n8n.nodes.map((file) => {
		const codex = file.replace(/\.js$/, '.json');
		const [url = ''] = documentationOf(codex.replace(/^dist\//, ''));
		expect(documentationOf(codex)).toEqual([addressOf(url)]);
		expect([url, isThere(url)]).toEqual([url, true]);
		return url;
	});
	expect(new Set(pages).size).toBe(pages.length);
});

it('takes foreign actions at the commit of a version, which cannot be moved', () => {
	const used = readdirSync(join(ROOT, '.github/workflows')).flatMap((file) =>
		[...read(join('.github/workflows', file)).matchAll(/uses: (.+)/g)].map(([, action]) => action),
	);
	const foreign = used.filter((action = '') => !action.startsWith('./'));
	expect(foreign.length).toBeGreaterThan(8);
	const pinned = /@[0-9a-f]{40} # v\d+\.\d+\.\d+$/;
	expect(foreign.filter((action = '') => !pinned.test(action))).toEqual([]);
});
