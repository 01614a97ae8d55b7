import { randomBytes, randomUUID } from 'node:crypto';
import { enveloped } from '../call';
import type { Call, Operations } from '../call';
import type { Browser } from '../browsers';
import { numberAt, objectOrEmpty } from '../json';
import { pageOf } from '../paging';
import type { Service } from '../service';

const KERNEL_VERSION = '138.0.7204.92';
const FREE_QUOTA = 2;
const MAX_A_PAGE = 100;
const PRICE_IN_CREDITS = 300;

/** Browser instances (docs/service.md: Browser instances). */
export function browserOperations(service: Service): Operations {
	const { browsers } = service;
	const find = ({ key, path }: Call): Browser => browsers.find(key.company, path['id'] ?? '');

	return {
		'browser.getAll': ({ query, key }) => {
			const shown = browsers.list(key.company, query['status'], query['request_id']);
			const page = Math.max(1, Number(query['page'] ?? 1));
			const limit = Math.min(MAX_A_PAGE, Math.max(1, Number(query['limit'] ?? 20)));
			const bounded = { page: String(page), limit: String(limit) };
			return enveloped(pageOf(shown, bounded, 20, (browser) => browsers.show(browser)));
		},

		'browser.create': ({ body, key }) =>
			enveloped(browsers.show(browsers.create(key.company, objectOrEmpty(body)))),

		'browser.get': (call) => enveloped(browsers.show(find(call))),

		'browser.update': (call) => {
			const browser = find(call);
			browser.fields = { ...browser.fields, ...objectOrEmpty(call.body) };
			return enveloped(browsers.show(browser));
		},

		'browser.delete': ({ key, path }) => {
			browsers.delete(key.company, path['id'] ?? '');
			return enveloped();
		},

		'browser.getStartConfig': (call) =>
			enveloped({
				browser_id: find(call).id,
				encrypted_config: randomBytes(96).toString('base64'),
				kernel_version: KERNEL_VERSION,
				config_version: 3,
			}),

		'browser.openRelay': (call) => {
			const browser = find(call);
			browser.relayId = randomUUID();
			return enveloped({
				relay_id: browser.relayId,
				relay_url: `${service.url.replace(/^http/, 'ws')}/sandbox/relays/${browser.relayId}`,
			});
		},

		'browser.closeRelay': (call) => {
			find(call).relayId = undefined;
			return enveloped();
		},

		'browser.refreshFingerprint': (call) => {
			find(call).fingerprint = randomUUID();
			return enveloped();
		},

		'browser.precheckPurchase': ({ body }) => {
			const quantity = numberAt(objectOrEmpty(body), 'quantity') ?? 1;
			return enveloped({
				quantity,
				covered_by_free_quota: quantity <= FREE_QUOTA,
				free_quota: FREE_QUOTA,
				credits_required: Math.max(0, quantity - FREE_QUOTA) * PRICE_IN_CREDITS,
			});
		},

		'browser.getGatewayConfig': () =>
			enveloped({
				encrypted_gateway: randomBytes(48).toString('base64'),
				gateway_version: '2.4.1',
				proxy_reuse: { enabled: true, max_age_seconds: 600 },
			}),

		'browser.solveCaptcha': ({ body }) =>
			enveloped(
				Object.fromEntries(
					Object.entries(objectOrEmpty(body)).map(([name, task]) => [
						name,
						{ ...objectOrEmpty(task), solved: true, token: randomBytes(16).toString('hex') },
					]),
				),
			),
	};
}
