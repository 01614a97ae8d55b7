import type { IBinaryKeyData } from 'n8n-workflow';

import { withInputFiles } from '../../../nodes/BrowserAutomation/execution/runResult';
import type { ItemResult } from '../../../nodes/BrowserAutomation/execution/executable';
import { insideNode } from '../insideNode';

const photo = { data: 'cGhvdG8=', mimeType: 'image/png' };
const table = { data: 'dGFibGU=', mimeType: 'text/csv' };

/** What becomes of results where the files of the input item are to be kept. */
async function kept(results: ItemResult[], binary?: IBinaryKeyData): Promise<ItemResult[]> {
	const items = [{ json: {}, ...(binary !== undefined && { binary }) }];
	return await insideNode((context) => withInputFiles(context, 0, results, true), { items });
}

it('the first result gets the files of the input item; its own file wins where names are the same', async () => {
	const results = [{ json: { row: 1 }, binary: { csv: table } }, { json: { row: 2 } }];
	expect(await kept(results, { photo, csv: photo })).toEqual([
		{ json: { row: 1 }, binary: { photo, csv: table } },
		{ json: { row: 2 } },
	]);
});

it('a result stays as it is where the input item has no files', async () => {
	expect(await kept([{ json: { row: 1 } }])).toEqual([{ json: { row: 1 } }]);
});

it('no result is made up where there is none', async () => {
	expect(await kept([], { photo })).toEqual([]);
});
