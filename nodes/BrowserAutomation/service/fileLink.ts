import { isPrivateHost } from './networkAddress';

/**
 * Why a file is not fetched from a link, as the end of a sentence; undefined when it may be. A
 * service on the internet has no business sending anyone into their own network.
 */
export function linkObstacle(link: string, serviceUrl: string): string | undefined {
	if (!URL.canParse(link)) return 'its link is not a URL';
	const { protocol, hostname } = new URL(link);
	if (!['http:', 'https:'].includes(protocol)) return 'its link is not an http or https URL';
	if (isPrivateHost(hostname) && !isPrivateHost(new URL(serviceUrl).hostname)) {
		return `its link leads to the local or private address ${hostname}`;
	}
	return undefined;
}

/** Whether a link stays with the service itself (scheme, host and port), which alone may see the key. */
export function isOwnOrigin(link: string, serviceUrl: string): boolean {
	return new URL(link).origin === new URL(serviceUrl).origin;
}
