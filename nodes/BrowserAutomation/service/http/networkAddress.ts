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

/** RFC 6890: this network, private use, loopback; shared, link-local, benchmarking; multicast and up. */
function isPrivateIpv4([a, b, c]: Ipv4): boolean {
	if ([0, 10, 127].includes(a) || a >= 224) return true;
	if (a === 100) return b >= 64 && b <= 127;
	if (a === 169) return b === 254;
	if (a === 172) return b >= 16 && b <= 31;
	if (a === 192) return b === 168 || (b === 0 && c === 0);
	return a === 198 && (b === 18 || b === 19);
}

/**
 * The internet is 2000::/3 without what is set apart in it (IANA's registry of IPv6 special-purpose
 * addresses). An address that contains an IPv4 address is as private as that one.
 */
function isPrivateIpv6(address: string): boolean {
	const groups = parseIpv6(address);
	const embedded = embeddedIpv4(groups);
	if (embedded !== undefined) return isPrivateIpv4(embedded);
	const [first = 0, second = 0] = groups;
	const isGlobal = first >> 13 === 1;
	const isProtocol = first === 0x2001 && second < 0x200;
	const isDocumentation =
		(first === 0x2001 && second === 0xdb8) || (first === 0x3fff && second < 0x1000);
	return !isGlobal || isProtocol || isDocumentation;
}

/** The eight groups of an address as `URL` writes it: numbers in hexadecimal, at most one `::`. */
function parseIpv6(address: string): number[] {
	const [head = [], tail = []] = address.split('::').map(groupsOf);
	return [...head, ...Array<number>(8 - head.length - tail.length).fill(0), ...tail];
}

function groupsOf(text: string): number[] {
	return text === '' ? [] : text.split(':').map((group) => parseInt(group, 16));
}

/**
 * The IPv4 address in addresses that contain one: ::ffff:0:0/96 and ::ffff:0:0:0/96 (mapped and translated),
 * 64:ff9b::/96 (NAT64), 2002::/16 (6to4).
 */
function embeddedIpv4(groups: number[]): Ipv4 | undefined {
	const [first, second = 0, third = 0] = groups;
	const prefix = groups
		.slice(0, 6)
		.map((group) => group.toString(16))
		.join(':');
	const [high = 0, low = 0] = first === 0x2002 ? [second, third] : groups.slice(6);
	const isEmbedding =
		first === 0x2002 || ['0:0:0:0:0:ffff', '0:0:0:0:ffff:0', '64:ff9b:0:0:0:0'].includes(prefix);
	return isEmbedding ? [high >> 8, high & 255, low >> 8, low & 255] : undefined;
}
