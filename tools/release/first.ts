import { repositoryPage } from './repository';
import type { Manifest } from './checks';

/** The workflow that releases, and the environment in which it asks for approval: npm knows it by both. */
export const WORKFLOW = 'release.yml';
export const ENVIRONMENT = 'npm';

/** What a person does once, as npm trusts no workflow with a package that is not there yet; in their order. */
export function firstSteps(manifest: Manifest): string[] {
	const { name, version } = manifest;
	const repository = repositoryPage(manifest).replace('https://github.com/', '');
	return [
		`On GitHub, make the environment "${ENVIRONMENT}" with yourself as a reviewer, and a rule that protects tags v*.`,
		`gh workflow run ${WORKFLOW}`,
		'gh run watch',
		'gh run download --name release --dir release',
		'npm login',
		`npm publish ./release/${name}-${version}.tgz --provenance=false`,
		`npm trust github ${name} --file ${WORKFLOW} --repo ${repository} --env ${ENVIRONMENT} --allow-publish`,
		`On npm, in the settings of ${name}: require two-factor authentication and disallow tokens.`,
		`Give package.json the next version after ${version}, and the changelog its section: that one is released by its tag, with provenance.`,
	];
}
