import { randomUUID } from 'node:crypto';

import { recordSecret, secretsOf } from '../../nodes/BrowserAutomation/transport/secrets';
import { node as other } from '../execution/waiting/ledgerOf';

function nodeOf(id: string, credential: string) {
	const browserAutomationApi = { id: credential, name: 'mine' };
	return { ...other, id, credentials: { browserAutomationApi } };
}

it('sixteen secrets of a node are known, the latest first, each once', () => {
	const node = nodeOf(randomUUID(), '1');
	for (const secret of ['first', 'second', '', 'first']) recordSecret(node, secret);
	expect(secretsOf(node)).toEqual(['first', 'second']);
	const many = Array.from({ length: 20 }, (_, index) => `secret-${index}`);
	for (const secret of many) recordSecret(node, secret);
	expect(secretsOf(node)).toEqual(many.reverse().slice(0, 16));
});

it('nobody finds out the secret of another’s credential by a node of the same ID', () => {
	const shared = randomUUID();
	recordSecret(nodeOf(shared, '1'), 'theirs');
	expect(secretsOf(nodeOf(shared, '2'))).toEqual([]);
	expect(secretsOf(nodeOf(randomUUID(), '1'))).toEqual([]);
});

it('a node without credentials has secrets, too', () => {
	const { credentials, ...node } = nodeOf(randomUUID(), '1');
	expect(credentials).toBeDefined();
	recordSecret(node, 'given');
	expect(secretsOf(node)).toEqual(['given']);
});
