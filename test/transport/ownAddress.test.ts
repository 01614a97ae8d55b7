import { callOwnAddress } from '../../nodes/BrowserAutomation/transport/ownAddress';
import { insideNode } from '../execution/insideNode';
import { answerJson, forAllTests, notFound, Origin } from '../fixture';

const n8n = forAllTests(new Origin());

afterEach(() => n8n.answerWith(notFound));

/** What a node gets of n8n's answer, which may take so many milliseconds. */
async function called(url: string, timeout = 100_000): Promise<unknown> {
	const { answer } = await insideNode(async (context) => ({
		answer: await callOwnAddress(context, 'POST', url, timeout),
	}));
	return answer && { status: answer.status, body: answer.body };
}

it.each([200, 503])('an answer of n8n is passed on, also one with status %i', async (status) => {
	n8n.answerWith((_, response) => answerJson(response, status, { message: 'told' }));
	expect(await called(n8n.url)).toEqual({ status, body: { message: 'told' } });
	expect(n8n.received).toEqual([expect.objectContaining({ method: 'POST' })]);
});

it('a proxy’s redirect is an answer: the call goes nowhere else', async () => {
	n8n.answerWith((_, response) => response.writeHead(307, { location: '/elsewhere' }).end());
	expect(await called(n8n.url)).toMatchObject({ status: 307 });
	expect(n8n.received).toHaveLength(1);
});

it('nothing is passed on where n8n is not reached, and nothing fails', async () => {
	expect(await called('http://127.0.0.1:1/')).toBeUndefined();
});

it('nothing is passed on where no answer comes in time', async () => {
	n8n.answerWith(() => undefined);
	expect(await called(n8n.url, 300)).toBeUndefined();
});
