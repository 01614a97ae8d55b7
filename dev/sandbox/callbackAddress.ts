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
 * Refuses a callback URL whose host is a private or local address (docs/service.md: Events, rule 1).
 * The service also looks a name's address up.
 */
export function requirePublicAddress(url: string): void {
	const host = new URL(url).hostname.replace(/^\[|\]$/g, '');
	const family = isIP(host) === 6 ? 'ipv6' : 'ipv4';
	const isPrivate = isIP(host) > 0 && privateRanges.check(host, family);
	if (isPrivate || host === 'localhost' || /\.local(host)?$/.test(host)) {
		throw refusals.parameter(`callback address is private or local: ${host}`);
	}
}
