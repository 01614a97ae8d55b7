import type { INode } from 'n8n-workflow';

import { TtlCache } from '../service/ttlCache';

/** How many nodes' secrets are known at most, and how many of each: expressions can make many. */
const MOST_NODES = 10_000;
const MOST_EACH = 16;

const known = new TtlCache<readonly string[]>(MOST_NODES);

/** Notes a secret with which a node asks the service, so that nothing the node says ever tells it. */
export function noteSecret({ id }: INode, secret: string): void {
	if (secret === '') return;
	const others = secretsOf({ id }).filter((other) => other !== secret);
	known.set(id, [secret, ...others].slice(0, MOST_EACH), Infinity);
}

/** The secrets that a node has used in this process, the latest first. */
export function secretsOf({ id }: Pick<INode, 'id'>): readonly string[] {
	return known.get(id) ?? [];
}
