import { addressOf, repositoryPage } from './repository';

/** What a publisher states in package.json. */
export interface Manifest {
	name: string;
	version: string;
	homepage: string;
	repository: { type: string; url: string };
	author: { name: string; email: string };
}

/** What is to be released. */
export interface Release {
	manifest: Manifest;
	changelog: string;
	/** The texts of the pages that tell users where the package is, by their files. */
	pages: Readonly<Record<string, string>>;
	/** The tag that started the release, when one did. */
	tag?: string | undefined;
}

/** What package.json holds until a publisher fills it in. */
export const UNKNOWN = { owner: 'OWNER', name: 'AUTHOR', email: 'author@example.com' };

/** What still has to be filled in or mended before the release, a sentence each. */
export function problemsOf({ manifest, changelog, pages, tag }: Release): string[] {
	const { author, homepage, version } = manifest;
	const page = repositoryPage(manifest);
	const problems: Array<[boolean, string]> = [
		[
			!/^https:\/\/github\.com\/[\w.-]+\/[\w.-]+$/.test(page) ||
				page.includes(`/${UNKNOWN.owner}/`),
			'package.json: repository.url is to name the public GitHub repository, as git+https://github.com/<owner>/<repository>.git.',
		],
		[
			homepage !== `${page}#readme` || homepage.includes(`/${UNKNOWN.owner}/`),
			'package.json: homepage is to be the page of that repository, with #readme.',
		],
		[
			author.name === UNKNOWN.name || author.name === '',
			'package.json: author.name is to be the owner of the repository and of the npm package.',
		],
		[
			author.email === UNKNOWN.email || !/^[^@\s]+@[^@\s]+\.[^@\s]+$/.test(author.email),
			'package.json: author.email is to be an address at which the author can be reached.',
		],
		[
			!/^\d+\.\d+\.\d+$/.test(version),
			`package.json: version ${version} is no released version, such as 1.2.3.`,
		],
		[
			sectionOf(changelog, version) === undefined,
			`CHANGELOG.md: there is no section "## [${version}] - <date>" with what changed.`,
		],
		[
			tag !== undefined && tag !== `v${version}`,
			`The tag ${tag} does not name the version in package.json: v${version}.`,
		],
	];
	return [
		...problems.filter(([found]) => found).map(([, problem]) => problem),
		...Object.entries(pages).flatMap(([file, text]) => untilPublished(file, text)),
	];
}

/** Lines that a page has while nothing is published, from one mark to the other. */
const UNPUBLISHED = /<!-- not published -->[^]*?<!-- \/not published -->/g;

function untilPublished(file: string, text: string): string[] {
	return [...text.matchAll(UNPUBLISHED)].map(({ 0: part, index }) => {
		const first = text.slice(0, index).split('\n').length;
		const last = first + part.split('\n').length - 1;
		return `${file}, lines ${first} to ${last}: take them out; they say what to do until the package is published.`;
	});
}

/** What changed in a version, as the changelog tells it; undefined when it has no dated section with something in it. */
export function sectionOf(changelog: string, version: string): string | undefined {
	const sections = changelog.split(/^(?=## )/m);
	const heading = new RegExp(
		`^## \\[${version.replaceAll('.', '\\.')}\\] - \\d{4}-\\d\\d-\\d\\d\\n`,
	);
	const section = sections.find((text) => heading.test(text));
	const text = section?.slice(section.indexOf('\n')).trim();
	return text === '' ? undefined : text;
}

/** What is released, in Markdown: the section of the changelog, and where to read on. */
export function hintsOf({ manifest, changelog }: Pick<Release, 'manifest' | 'changelog'>): string {
	return `${sectionOf(changelog, manifest.version) ?? ''}\n\n[Documentation](${addressOf('README.md', manifest)})\n`;
}
