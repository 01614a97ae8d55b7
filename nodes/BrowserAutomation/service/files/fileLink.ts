import { TRAILING_SLASHES } from '../http/credential';
import { isPrivateHost } from '../http/networkAddress';

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

/**
 * Whether a link stays with the service itself, which alone may see the key: the scheme, host and
 * port of the base URL, and a path below its path. Behind one gateway there may be others.
 */
export function isOwnAddress(link: string, serviceUrl: string): boolean {
	const [own, base] = [new URL(link), new URL(serviceUrl)];
	if (own.origin !== base.origin) return false;
	const root = base.pathname.replace(TRAILING_SLASHES, '');
	return root === '' || (own.pathname.startsWith(`${root}/`) && !mayLeaveItsPath(own.pathname));
}

/** Whether some program may read a path as one with `..` in it: plain, or in percent codes, in which "%25" stands for "%" itself. */
function mayLeaveItsPath(pathname: string): boolean {
	const decoded = pathname.replace(/%(?:25)*([0-9a-f]{2})/gi, (_, code: string) =>
		String.fromCharCode(parseInt(code, 16)),
	);
	if (/%[0-9a-f]{2}/i.test(decoded)) return true;
	return decoded.split(/[/\\]/).some((step) => /^\.\.(;|$)/.test(step));
}
