import { isPrivateHost } from '../../nodes/BrowserAutomation/service/networkAddress';

function hostOf(host: string): string {
	return new URL(`http://${host}/`).hostname;
}

it.each([
	'localhost',
	'LOCALHOST.',
	'n8n.localhost',
	'n8n',
	'printer.local',
	'n8n.internal',
	'127.0.0.1',
	'127.255.0.1',
	'2130706433',
	'0x7f.1',
	'0.0.0.0',
	'10.1.2.3',
	'172.16.0.1',
	'172.31.255.255',
	'192.168.1.1',
	'169.254.169.254',
	'100.64.0.1',
	'[::1]',
	'[::]',
	'[fd00::1]',
	'[fe80::1]',
	'[::ffff:127.0.0.1]',
	'[::ffff:192.168.0.1]',
	'[::127.0.0.1]',
	'[::7f00:1]',
	'[::ffff:0:7f00:1]',
	'[::ffff:0:10.0.0.1]',
	'[64:ff9b::10.0.0.1]',
	'[64:ff9b::a9fe:a9fe]',
	'[64:ff9b:1::1]',
	'[2002:7f00:1::]',
	'[2002:a00:1::1]',
	'[2001::1]',
	'[2001:db8::1]',
	'[3fff::1]',
	'[100::1]',
	'[fec0::1]',
	'[feff::1]',
	'[febf::1]',
	'[fc00::1]',
	'[ff02::1]',
	'[4000::1]',
	'localhost..',
	'n8n.localdomain',
	'vault.corp',
])('%s can only be reached from inside', (host) => {
	expect(isPrivateHost(hostOf(host))).toBe(true);
});

it.each([
	'n8n.example.com',
	'localhost.example.com',
	'local.example.com',
	'8.8.8.8',
	'172.15.0.1',
	'172.32.0.1',
	'100.128.0.1',
	'192.169.0.1',
	'[2001:4860:4860::8888]',
	'[::ffff:8.8.8.8]',
	'[64:ff9b::8.8.8.8]',
	'[2002:808:808::1]',
	'[2606:4700:4700::1111]',
	'[2a00:1450:4001:80b:0:0:0:200e]',
	'corp.example.com',
])('%s can be reached from outside', (host) => {
	expect(isPrivateHost(hostOf(host))).toBe(false);
});
