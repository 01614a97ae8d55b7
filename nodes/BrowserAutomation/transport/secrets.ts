import type { INode } from 'n8n-workflow';

import { memoryOf } from '../service/processMemory';

/** How many secrets of a node are kept: expressions can make many. */
const MAX_EACH = 16;

const known = memoryOf<readonly string[]>('secrets');

/** Remembers a secret that a node uses, so that it is redacted in all that the node says. */
export function recordSecret(node: INode, secret: string): void {
	if (secret === '') return;
	const others = secretsOf(node).filter((other) => other !== secret);
	known.set(keyOf(node), [secret, ...others].slice(0, MAX_EACH), Infinity);
}

/** The secrets that a node has used in this process, the latest first. */
export function secretsOf(node: INode): readonly string[] {
	return known.get(keyOf(node)) ?? [];
}

/** Names a node with its credentials. In the editor all users' nodes have one ID, and what is hidden must not reveal another's secret. */
function keyOf({ id, credentials = {} }: INode): string {
	return JSON.stringify([id, Object.values(credentials).map((credential) => credential.id)]);
}
