import { isPrivateHost } from '../../../nodes/BrowserAutomation/service/http/networkAddress';

/** Whether a host is taken for one that can only be reached from inside, however it is spelled. */
function isInside(host: string): boolean {
	return isPrivateHost(new URL(`http://${host}/`).hostname);
}

const INSIDE = `
	localhost LOCALHOST. n8n.localhost n8n printer.local n8n.internal 127.0.0.1 127.255.0.1
	2130706433 0x7f.1 0.0.0.0 10.1.2.3 172.16.0.1 172.31.255.255 192.168.1.1 169.254.169.254
	100.64.0.1 100.127.255.255 192.0.0.8 198.18.0.1 198.19.255.255 224.0.0.1 255.255.255.255
	[::1] [::] [fd00::1] [fe80::1] [::ffff:127.0.0.1] [::ffff:192.168.0.1] [::127.0.0.1]
	[::7f00:1] [::ffff:0:7f00:1] [::ffff:0:10.0.0.1] [64:ff9b::10.0.0.1] [64:ff9b::a9fe:a9fe]
	[64:ff9b:1::1] [2002:7f00:1::] [2002:808:808::1] [::ffff:8.8.8.8] [2001:0:1::1]
	[2002:a00:1::1] [2001::1] [2001:1ff::1] [2001:db8::1] [3fff:fff::1] [1fff::1] [3fff::1]
	[100::1] [fec0::1] [feff::1] [febf::1] [fc00::1] [ff02::1] [4000::1] localhost..
	n8n.localdomain vault.corp wiki.intranet db.private nas.lan box.home box.home.arpa
`;

const OUTSIDE = `
	n8n.example.com localhost.example.com local.example.com 8.8.8.8 10.0.0.1.example.com
	172.15.0.1 172.32.0.1 100.63.255.255 100.128.0.1 9.10.127.0 11.0.0.1 101.64.0.1 169.253.1.1
	170.254.1.1 173.16.0.1 191.168.0.1 192.0.1.1 192.1.0.1 193.0.0.1 197.18.0.1 198.17.0.1
	198.20.0.1 223.255.255.255 192.169.0.1 [2001:4860:4860::8888] [2606:4700:4700::1111]
	[2001:200::1] [2001:db9::1] [2003:db8::1] [2600:1::1] [3fff:1000::1] [3ffe:1::1]
	[2a00:1450:4001:80b:0:0:0:200e] corp.example.com intranet.example.com
`;

const hostsOf = (text: string): string[] => text.trim().split(/\s+/);

it.each(hostsOf(INSIDE))('%s can only be reached from inside', (host) => {
	expect(isInside(host)).toBe(true);
});

it.each(hostsOf(OUTSIDE))('%s can be reached from outside', (host) => {
	expect(isInside(host)).toBe(false);
});
