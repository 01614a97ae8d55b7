/**
 * Why an address that others gave is not called, as the end of a sentence; undefined where it may be. A private address
 * passes only if the service itself has one: else it cannot reach it, and has no business sending anyone there.
 */
export function addressObstacle(address: string, serviceUrl: string): string | undefined {
	if (!URL.canParse(address)) return 'is not a URL';
	const { protocol, hostname } = new URL(address);
	if (!['http:', 'https:'].includes(protocol)) return 'is not an http or https URL';
	const isForbidden = isPrivateHost(hostname) && !isPrivateHost(new URL(serviceUrl).hostname);
	return isForbidden ? `leads to the local or private address ${hostname}` : undefined;
}

const LOCAL_NAMES =
	/(^|\.)(localhost|localdomain|local|internal|intranet|private|corp|lan|home|home\.arpa)$/;

/**
 * Whether a host can only be reached from its own machine or network: a loopback, private or
 * link-local address, `localhost`, a name ending in `.local`, or a name without a dot.
 * Names are judged by their spelling; nothing is resolved.
 *
 * @param hostname as in `URL.hostname`, so numeric forms are already normalised and IPv6 is in brackets
 */
export function isPrivateHost(hostname: string): boolean {
	const host = hostname.toLowerCase().replace(/(?<!\.)\.+$/, '');
	if (host.startsWith('[')) return isPrivateIpv6(host.slice(1, -1));
	if (/^\d+(\.\d+){3}$/.test(host)) return isPrivateIpv4(host);
	return !host.includes('.') || LOCAL_NAMES.test(host);
}

/** RFC 6890: this network, private use, loopback; shared, link-local, benchmarking; multicast and up. */
function isPrivateIpv4(address: string): boolean {
	const [a = 0, b = 0, c = 0] = address.split('.').map(Number);
	if ([0, 10, 127].includes(a) || a >= 224) return true;
	if (a === 100) return b >= 64 && b <= 127;
	if (a === 169) return b === 254;
	if (a === 172) return b >= 16 && b <= 31;
	if (a === 192) return b === 168 || (b === 0 && c === 0);
	return a === 198 && (b === 18 || b === 19);
}

/**
 * The internet is 2000::/3 without what is set apart in it (IANA's registry of IPv6 special-purpose
 * addresses): protocols, documentation, and 6to4, which holds an IPv4 address. So do other ones beyond it.
 *
 * @param address as `URL` writes it: groups in hexadecimal, at most one `::`
 */
function isPrivateIpv6(address: string): boolean {
	const [first = 0, second = 0] = address.split(':').map((group) => Number(`0x0${group}`));
	if (first === 0x2001) return second < 0x200 || second === 0xdb8;
	return first >> 13 !== 1 || first === 0x2002 || (first === 0x3fff && second < 0x1000);
}
