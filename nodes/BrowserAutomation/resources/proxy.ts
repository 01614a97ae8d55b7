import { ask, at, done, resource, staticProxyField } from './operation';

export const staticProxy = resource({
	value: 'staticProxy',
	name: 'Static Proxy',
	description: 'Rename your static proxies',
	operations: {
		rename: {
			name: 'Rename',
			action: 'Rename static proxy',
			description: 'Give a static proxy another name',
			...ask('PUT', at`/v2/static-proxy/${staticProxyField}/name`, {
				body: 'The new name',
				answer: done,
			}),
		},
	},
});

export const proxySession = resource({
	value: 'proxySession',
	name: 'Proxy Session',
	description: 'Keep proxy sessions alive and close them',
	operations: {
		sendHeartbeat: {
			name: 'Send Heartbeat',
			action: 'Send heartbeat for proxy session',
			description: 'Keep a proxy session alive',
			...ask('POST', '/v2/proxy/session/heartbeat', {
				body: 'The session to keep alive',
				answer: done,
			}),
		},
		close: {
			name: 'Close',
			action: 'Close proxy session',
			description: 'End a proxy session',
			...ask('POST', '/v2/proxy/session/close', { body: 'The session to close', answer: done }),
		},
	},
});
