const LOCAL_NAMES = /(^|\.)(localhost|local|internal|lan|home\.arpa)$/;

/**
 * Whether a host can only be reached from its own machine or network: a loopback, private or
 * link-local address, `localhost`, a name ending in `.local`, or a name without a dot.
 * Names are judged by their spelling; nothing is resolved.
 *
 * @param hostname as in `URL.hostname`, so numeric forms are already normalised and IPv6 is in brackets
 */
export function isPrivateHost(hostname: string): boolean {
	const host = hostname.toLowerCase().replace(/\.$/, '');
	if (host.startsWith('[')) return isPrivateIpv6(host.slice(1, -1));
	const ipv4 = parseIpv4(host);
	if (ipv4 !== undefined) return isPrivateIpv4(ipv4);
	return !host.includes('.') || LOCAL_NAMES.test(host);
}

type Ipv4 = readonly [number, number, number, number];

function parseIpv4(host: string): Ipv4 | undefined {
	const match = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/.exec(host);
	if (match === null) return undefined;
	return [Number(match[1]), Number(match[2]), Number(match[3]), Number(match[4])];
}

/** RFC 6890: this network, private use, shared, loopback, link-local, benchmarking, multicast and up. */
function isPrivateIpv4([a, b, c]: Ipv4): boolean {
	return (
		a === 0 ||
		a === 10 ||
		a === 127 ||
		(a === 100 && b >= 64 && b <= 127) ||
		(a === 169 && b === 254) ||
		(a === 172 && b >= 16 && b <= 31) ||
		(a === 192 && b === 168) ||
		(a === 192 && b === 0 && c === 0) ||
		(a === 198 && (b === 18 || b === 19)) ||
		a >= 224
	);
}

/** Unspecified, loopback, unique local, link-local, multicast, and IPv4 addresses written as IPv6. */
function isPrivateIpv6(address: string): boolean {
	if (address === '::' || address === '::1') return true;
	if (/^(f[cd]|fe[89ab]|ff)/.test(address)) return true;
	const mapped = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(address);
	if (mapped === null) return false;
	const high = parseInt(mapped[1] ?? '', 16);
	const low = parseInt(mapped[2] ?? '', 16);
	return isPrivateIpv4([high >> 8, high & 255, low >> 8, low & 255]);
}
