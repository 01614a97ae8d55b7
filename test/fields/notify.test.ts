import { findTriggers } from '../../nodes/BrowserAutomation/fields/notify';
import { IN_WORKFLOW, TRIGGER_NAME } from '../contract/operations';
import { TRIGGER } from '../fixture/nodeTypes';

describe('the triggers of a workflow are found', () => {
	const untold = { getWorkflow: () => ({ id: '1', active: false }) };
	const among = (...nodes: unknown[]) => ({ workflow: { nodes: Object({ ...nodes }) } });

	it.each<[string, object, string[]]>([
		['while it is active', {}, [TRIGGER_NAME]],
		['in an execution of a trigger', untold, [TRIGGER_NAME]],
		['in one of a webhook', { ...untold, getMode: () => 'webhook' }, [TRIGGER_NAME]],
		['not in one of a user, while it is inactive', { ...untold, getMode: () => 'manual' }, []],
		['not before it is stored', { getWorkflow: () => ({ active: true }) }, []],
		['not where n8n does not tell its own address', { additionalData: {} }, []],
		['not where n8n does not tell its nodes', { workflow: {} }, []],
		['not in what is no node', among(null, { type: 1, parameters: {} }, { type: TRIGGER }), []],
	])('%s', (_, difference, names) => {
		const found = findTriggers(Object({ ...IN_WORKFLOW, ...difference }));
		expect(found.map(({ name }) => name)).toEqual(names);
	});
});
