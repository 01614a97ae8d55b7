import { lookup } from 'node:dns/promises';
import { BlockList, isIP } from 'node:net';
import { refusals } from './refusal';

const PRIVATE_RANGES: ReadonlyArray<readonly [net: string, prefix: number, 'ipv4' | 'ipv6']> = [
	['0.0.0.0', 8, 'ipv4'],
	['10.0.0.0', 8, 'ipv4'],
	['100.64.0.0', 10, 'ipv4'],
	['127.0.0.0', 8, 'ipv4'],
	['169.254.0.0', 16, 'ipv4'],
	['172.16.0.0', 12, 'ipv4'],
	['192.168.0.0', 16, 'ipv4'],
	['::', 128, 'ipv6'],
	['::1', 128, 'ipv6'],
	['fc00::', 7, 'ipv6'],
	['fe80::', 10, 'ipv6'],
];

const privateRanges = new BlockList();
for (const [net, prefix, family] of PRIVATE_RANGES) privateRanges.addSubnet(net, prefix, family);

/**
 * Refuses a callback URL whose host is, or resolves to, a private or local address
 * (docs/service.md: Events, rule 1). A host that does not resolve is refused as well.
 */
export async function requirePublicAddress(url: string): Promise<void> {
	const host = new URL(url).hostname.replace(/^\[|\]$/g, '');
	if (host === 'localhost' || host.endsWith('.localhost') || host.endsWith('.local')) {
		throw refusals.parameter(`callback address is local: ${host}`);
	}
	const addresses = isIP(host) === 0 ? await resolve(host) : [host];
	if (addresses.length === 0) {
		throw refusals.parameter(`callback address does not resolve: ${host}`);
	}
	const hidden = addresses.find(isPrivateAddress);
	if (hidden !== undefined) {
		throw refusals.parameter(`callback address is private: ${host} (${hidden})`);
	}
}

function isPrivateAddress(address: string): boolean {
	return privateRanges.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');
}

async function resolve(host: string): Promise<string[]> {
	try {
		return (await lookup(host, { all: true })).map(({ address }) => address);
	} catch {
		return [];
	}
}
