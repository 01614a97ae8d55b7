import { planWaves } from '../../../nodes/BrowserAutomation/execution/waiting/waves';
import { answerJson, forAllTests, Origin } from '../../fixture';
import { insideNode } from '../insideNode';
import { ledgerOf } from './ledgerOf';

/** The address where n8n takes callbacks. */
const n8n = forAllTests(new Origin());

const SIGNED = '/webhook-waiting/1?signature=a';

/** Whether so many items are started in waves where n8n answers a call to the running execution like this. */
async function inWaves(items: number, status: number, path = SIGNED): Promise<boolean> {
	n8n.answerWith((_, response) => answerJson(response, status, {}));
	const request = { method: 'POST', path: '/v3/bots/1/runs' } as const;
	const ledger = ledgerOf(Array.from({ length: items }, () => ({ request })));
	return await insideNode(async (context) => {
		await planWaves(context, ledger, `${n8n.url}${path}`);
		return ledger.inWaves === true;
	});
}

it('more than ten items are started in waves, where n8n can wake an execution that calls it', async () => {
	expect(await inWaves(11, 409)).toBe(true);
	expect(n8n.received).toMatchObject([{ method: 'GET', url: SIGNED }]);
});

it('up to ten items are started in one go, and n8n is not called', async () => {
	expect(await inWaves(10, 409)).toBe(false);
	expect(n8n.received).toEqual([]);
});

it('an n8n that does not tell who is awake from who sleeps is not called', async () => {
	expect(await inWaves(11, 409, '/webhook-waiting/1')).toBe(false);
	expect(n8n.received).toEqual([]);
});

it.each([200, 404, 500])('there are no waves where n8n answers %i', async (status) => {
	expect(await inWaves(11, status)).toBe(false);
});
