import {
	callbackObstacle,
	checkCallbackUrl,
} from '../../../nodes/BrowserAutomation/service/events/callback';

const SERVICE = 'https://api.example.com';

it.each([
	['https://n8n.example.com/webhook/1?a=b&c=%20#d', SERVICE],
	['http://n8n.example.com/hook', SERVICE],
	['http://[2606:4700:4700::1111]/hook', SERVICE],
	['http://127.0.0.1:5678/hook', 'http://localhost:4000'],
	['https://n8n.example.com/hook', 'http://localhost:4000'],
])('%s can be called by the service at %s', (url, service) => {
	expect(callbackObstacle(url, service)).toBeUndefined();
	expect(checkCallbackUrl(url, 'Callback URL', service)).toBe(url);
});

it.each([
	['n8n.example.com/hook', 'is not a URL'],
	['ftp://n8n.example.com/hook', 'is not an http or https URL'],
	...['a b', 'ä', '100%', '%2', 'a[1]', '?a[1]=2', '#a[1]', '#a#b'].map((end) => {
		return [`https://n8n.example.com/${end}`, 'have to be percent-encoded'];
	}),
	['http://192.168.0.7/hook', 'leads to the local or private address 192.168.0.7'],
	['http://localhost:5678/hook', 'leads to the local or private address localhost'],
])('%s cannot be called: it %s', (url = '', reason) => {
	expect(callbackObstacle(url, SERVICE)).toContain(reason);
	expect(() => checkCallbackUrl(url, 'Callback URL', SERVICE)).toThrow('Callback URL is "');
});
