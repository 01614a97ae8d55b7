import { restoreInput } from '../../../nodes/BrowserAutomation/execution/waiting/legacy';
import { toItems, type RunOptions } from '../../core/harness';
import { insideNode, type Otherwise } from '../insideNode';

/** The input of a node that version 0.1.0 had put to sleep: before it is given back, and afterwards. */
async function inputAfter(
	count: number,
	how: Partial<RunOptions> = {},
	n8n: Otherwise = {},
): Promise<unknown[]> {
	return await insideNode(
		(context) => {
			const replaced = toItems(...context.getInputData().map(() => ({ error: 'the limit' })));
			context.getInputData().splice(0, Infinity, ...replaced);
			restoreInput(context, count);
			return context.getInputData().map(({ json }) => json);
		},
		{ items: toItems({ keyword: 'a' }, { keyword: 'b' }), ...how },
		n8n,
	);
}

it('the items that came to the node come back', async () => {
	expect(await inputAfter(2)).toEqual([{ keyword: 'a' }, { keyword: 'b' }]);
});

it('with Execute Once the first comes back', async () => {
	expect(await inputAfter(1, { settings: { executeOnce: true } })).toEqual([{ keyword: 'a' }]);
});

it.each([
	['other items have come since', 3, {}],
	['n8n does not tell where they came from', 2, { getInputSourceData: undefined }],
	['n8n knows no items there', 2, { getWorkflowDataProxy: () => ({ $items: () => undefined }) }],
])('nothing is taken for them where %s', async (_, count, n8n) => {
	expect(await inputAfter(count, {}, n8n)).toEqual([
		{ error: 'the limit' },
		{ error: 'the limit' },
	]);
});
