import { resources } from './sharedResources';

export default async function globalTeardown(): Promise<void> {
	for (const remove of resources.reverse()) await remove();
}
