import { TRAILING_SLASHES } from '../http/credential';

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
