import { ask, at, done, operation, resource, staticProxyField } from './operation';

export const staticProxy = resource('staticProxy', 'Static Proxy', {
	description: 'Rename your static proxies',
	operations: {
		rename: operation('Rename', 'Rename static proxy', {
			description: 'Give a static proxy another name',
			...ask('PUT', at`/v2/static-proxy/${staticProxyField}/name`, {
				body: 'The new name',
				answer: done,
			}),
		}),
	},
});

export const proxySession = resource('proxySession', 'Proxy Session', {
	description: 'Keep proxy sessions alive and close them',
	operations: {
		sendHeartbeat: operation('Send Heartbeat', 'Send heartbeat for proxy session', {
			description: 'Keep a proxy session alive',
			...ask('POST', '/v2/proxy/session/heartbeat', {
				body: 'The session to keep alive',
				answer: done,
			}),
		}),
		close: operation('Close', 'Close proxy session', {
			description: 'End a proxy session',
			...ask('POST', '/v2/proxy/session/close', { body: 'The session to close', answer: done }),
		}),
	},
});
