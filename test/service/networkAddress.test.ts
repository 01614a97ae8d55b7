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
])('%s can be reached from outside', (host) => {
	expect(isPrivateHost(hostOf(host))).toBe(false);
});
