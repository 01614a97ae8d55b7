import manifest from '../../package.json';

/** What package.json says about where the package lives; nothing else says it. */
export interface Publication {
	version: string;
	repository: { url: string };
}

/** The repository's page, without a slash at the end. */
export function repositoryPage({ repository }: Publication): string {
	return repository.url.replace(/^git\+/, '').replace(/\.git$/, '');
}

/**
 * Where a file of the repository can be read as it is in the released version.
 *
 * @param file its path from the top, with an anchor if it has one, e.g. `docs/use/triggers.md#events`
 */
export function addressOf(file: string, publication: Publication = manifest): string {
	const kind = /\.(?:png|svg|gif|webp)$/.test(file) ? 'raw' : 'blob';
	return `${repositoryPage(publication)}/${kind}/v${publication.version}/${file}`;
}

/** A Markdown text whose links to files of the repository lead to the released version. */
export function withAddresses(markdown: string, publication: Publication = manifest): string {
	return markdown.replace(
		/(\]\(|(?:src|href)=")(?!#|[a-z]+:)([^)"\s]+)/g,
		(_, before: string, file: string) => before + addressOf(file, publication),
	);
}
