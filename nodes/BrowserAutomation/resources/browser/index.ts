import { resource } from '../operation';
import { closeRelay } from './closeRelay';
import { create } from './create';
import { deleteBrowser } from './deleteBrowser';
import { get } from './get';
import { getAll } from './getAll';
import { getGatewayConfig } from './getGatewayConfig';
import { getStartConfig } from './getStartConfig';
import { openRelay } from './openRelay';
import { precheckPurchase } from './precheckPurchase';
import { refreshFingerprint } from './refreshFingerprint';
import { solveCaptcha } from './solveCaptcha';
import { update } from './update';

export const browser = resource({
	value: 'browser',
	name: 'Browser',
	description: 'Create and manage your own browser instances',
	operations: {
		getAll,
		get,
		create,
		update,
		delete: deleteBrowser,
		getStartConfig,
		openRelay,
		closeRelay,
		refreshFingerprint,
		precheckPurchase,
		getGatewayConfig,
		solveCaptcha,
	},
});
