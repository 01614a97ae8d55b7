import { nodeKey } from '../../nodes/BrowserAutomation/execution/workflow';
import { node } from './waiting/ledgerOf';

function keyOf(id: string | undefined, nodeId: string): string {
	return nodeKey({
		getWorkflow: () => ({ ...(id !== undefined && { id }), active: true }),
		getNode: () => ({ ...node, id: nodeId }),
	});
}

it('a node is another one than its copy in an imported workflow, and than others of its workflow, also before that is stored', () => {
	const stored = [keyOf('1', 'a'), keyOf('2', 'a'), keyOf('1', 'b')];
	const all = [...stored, keyOf(undefined, 'a'), keyOf(undefined, 'b')];
	expect(new Set(all).size).toBe(all.length);
	expect(keyOf('1', 'a')).toBe(stored[0]);
});
