import {
	request,
	at,
	BROWSER_FILTERS,
	browserField,
	captchaField,
	deleted,
	done,
	operation,
	page,
	resource,
	SESSION_FIELDS,
	sessionUuidField,
	staticProxyField,
} from './operation';

const BROWSER = at`/v2/browser/${browserField}`;

export const browser = resource('browser', 'Browser', {
	description: 'Create and manage browsers',
	operations: {
		getAll: operation('Get Many', 'Get many browsers', {
			description: 'List the browser instances, e.g. those of one purchase',
			// The largest page is not shown; the default is certain to be given in full (docs/service.md: Limits).
			...request('GET', '/v2/browser', { query: BROWSER_FILTERS, answer: page({ max: 20 }) }),
		}),
		get: operation('Get', 'Get browser', {
			description: 'Read a browser instance',
			...request('GET', BROWSER),
		}),
		create: operation('Create', 'Create browser', {
			description: 'Create a browser instance',
			...request('POST', '/v2/browser', { body: 'The browser to create' }),
		}),
		update: operation('Update', 'Update browser', {
			description: 'Change a browser instance',
			...request('PUT', BROWSER, { body: 'What to change in the browser' }),
		}),
		delete: operation('Delete', 'Delete browser', {
			description: 'Delete a browser instance permanently',
			...request('DELETE', BROWSER, { answer: deleted }),
		}),
		getStartConfig: operation('Get Start Config', 'Get start config of browser', {
			description: 'Read the encrypted launch configuration of a browser, with version information',
			...request('POST', at`/v2/browser/${browserField}/start-config`, {
				body: 'The client that starts the browser',
			}),
		}),
		openRelay: operation('Open Relay', 'Open relay to browser', {
			description: 'Open a relay to a browser instance',
			...request('POST', at`/v2/browser/${browserField}/relay`, { body: 'The relay to open' }),
		}),
		closeRelay: operation('Close Relay', 'Close relay of browser', {
			description: 'Close the relay of a browser instance',
			...request('DELETE', at`/v2/browser/${browserField}/relay`, { answer: done }),
		}),
		refreshFingerprint: operation('Refresh Fingerprint', 'Refresh fingerprint of browser', {
			description: 'Give a browser instance a new fingerprint',
			...request('POST', at`/v2/browser/${browserField}/refresh-fingerprint`, { answer: done }),
		}),
		precheckPurchase: operation('Pre-Check Purchase', 'Pre-check purchase of browsers', {
			description: 'Check whether your free quota or credits cover a purchase',
			...request('POST', '/v2/browser/purchase/precheck', {
				body: 'The purchase to check, with the number of browsers',
			}),
		}),
		getGatewayConfig: operation('Get Gateway Config', 'Get gateway config', {
			description:
				'Read the encrypted gateway configuration, with version information and settings for reusing proxies',
			...request('POST', '/v2/browser/gateway/config', {
				body: 'The gateway configuration to read',
			}),
		}),
		solveCaptcha: operation('Solve Captcha', 'Solve captcha', {
			description: 'Let the service solve a captcha',
			...request('POST', '/v2/browser/captcha-solve', { body: captchaField }),
		}),
	},
});

const GRANTS = '/v2/auth/access-grants';

export const accessGrant = resource('accessGrant', 'Access Grant', {
	description: 'Ask for permission, e.g. to purchase browsers',
	operations: {
		createBrowserPurchase: operation(
			'Create for Browser Purchase',
			'Create access grant for purchasing browsers',
			{
				description:
					'Request permission to purchase browsers. Browser > Get Many finds them by the request ID.',
				...request('POST', `${GRANTS}/browser/purchase`, { body: 'The browsers to purchase' }),
			},
		),
		createBrowserRenewal: operation(
			'Create for Browser Renewal',
			'Create access grant for renewing browsers',
			{
				description: 'Request permission to renew browsers',
				...request('POST', `${GRANTS}/browser/renewal`, { body: 'The browsers to renew' }),
			},
		),
		createBrowserDeletion: operation(
			'Create for Browser Deletion',
			'Create access grant for deleting browsers',
			{
				description: 'Request permission to delete browsers',
				...request('POST', `${GRANTS}/browser/delete`, { body: 'The browsers to delete' }),
			},
		),
		createStaticProxy: operation(
			'Create for Static Proxy',
			'Create access grant for static proxy',
			{
				description: 'Request access to a static proxy',
				...request('POST', `${GRANTS}/static-proxy`),
			},
		),
	},
});

export const staticProxy = resource('staticProxy', 'Static Proxy', {
	description: 'Rename your static proxies',
	operations: {
		rename: operation('Rename', 'Rename static proxy', {
			description: 'Give a static proxy another name',
			...request('PUT', at`/v2/static-proxy/${staticProxyField}/name`, {
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
			...request('POST', '/v2/proxy/session/heartbeat', {
				body: 'The session to keep alive',
				answer: done,
			}),
		}),
		close: operation('Close', 'Close proxy session', {
			description: 'End a proxy session',
			...request('POST', '/v2/proxy/session/close', { body: 'The session to close', answer: done }),
		}),
	},
});

export const humanAssist = resource('humanAssist', 'Human Assist', {
	description: 'CLI sessions with a person, not paused runs',
	operations: {
		create: operation('Create Session', 'Create human assist session', {
			description: 'Create a session in which a person helps with a browser',
			...request('POST', '/v2/human-assist/create', { members: SESSION_FIELDS }),
		}),
		complete: operation('Complete', 'Complete human assist session', {
			description: 'End a session as completed, on behalf of the client',
			...request('POST', '/v2/human-assist/complete-cli', { query: { uuid: sessionUuidField } }),
		}),
		reportError: operation('Report Error', 'Report error of human assist session', {
			description: 'End a session with an error, on behalf of the client',
			...request('POST', '/v2/human-assist/error-cli', { query: { uuid: sessionUuidField } }),
		}),
	},
});
