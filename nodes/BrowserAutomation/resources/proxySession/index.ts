import { resource } from '../operation';
import { close } from './close';
import { sendHeartbeat } from './sendHeartbeat';

export const proxySession = resource({
	value: 'proxySession',
	name: 'Proxy Session',
	description: 'Keep proxy sessions alive and close them',
	operations: { sendHeartbeat, close },
});
