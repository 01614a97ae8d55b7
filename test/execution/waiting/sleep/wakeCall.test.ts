import type { IExecuteFunctions } from 'n8n-workflow';

import {
	askWhetherAsleep,
	callToWake,
	reachesItself,
	type WakeOutcome,
} from '../../../../nodes/BrowserAutomation/execution/waiting/sleep/wakeCall';
import { insideNode } from '../../insideNode';

const NOW = 1_700_000_000_000;

const RESUME_URL = 'https://n8n.example.com/webhook-waiting/1?signature=a';

/** What n8n answers at its own address; undefined when no answer comes. */
type Answer = { statusCode: number; body?: unknown } | undefined;

/** n8n at its own address: what it was called with, how it answers, and what it logged. */
const n8n = { calls: [''], answer: (): Answer => undefined, warnings: [''] };

const helpers = {
	httpRequest: async ({ method, url }: { method?: string; url: string }): Promise<object> => {
		n8n.calls.push(`${method} ${url}`);
		const answer = n8n.answer();
		if (answer === undefined) throw new Error('connection refused');
		return { headers: {}, ...answer };
	},
};

let context: IExecuteFunctions;

beforeAll(async () => {
	const logger = { warn: (message: string) => n8n.warnings.push(message) };
	context = await insideNode((inside) => inside, {}, { helpers, logger });
});

beforeEach(() => {
	jest.useFakeTimers({ now: NOW });
	Object.assign(n8n, { calls: [], warnings: [] });
});
afterEach(() => jest.useRealTimers());

const called = { resumeUrl: RESUME_URL, sleepId: 'the sleep' };

it('a sleep is called, or asked about, by its ID, below the signed address', async () => {
	await callToWake(context, called);
	await askWhetherAsleep(context, called);
	expect(n8n.calls).toEqual([
		`POST ${RESUME_URL}&wake=the+sleep`,
		`POST ${RESUME_URL}&ask=the+sleep`,
	]);
});

describe('a call that is to wake an execution', () => {
	const conflict = (message: string): Answer => ({ statusCode: 409, body: { message } });

	it.each<[string, Answer, WakeOutcome]>([
		['has woken it', { statusCode: 200 }, 'over'],
		['was for another sleep', { statusCode: 403 }, 'over'],
		['is about an execution that was deleted', { statusCode: 404 }, 'over'],
		['finds it ended', conflict('The execution "1" has finished already.'), 'over'],
		['finds it running', conflict('The execution "1" is running already.'), 'running'],
		['finds it running, without words', { statusCode: 409 }, 'running'],
		['comes while another wakes it', { statusCode: 503 }, 'busy'],
		['meets a fault', { statusCode: 500 }, 'busy'],
		['comes too often', { statusCode: 429 }, 'busy'],
		['gets no answer', undefined, 'unreachable'],
	])('%s: %j', async (_, answer, outcome) => {
		n8n.answer = () => answer;
		expect(await callToWake({ helpers: context.helpers }, called)).toBe(outcome);
		expect(n8n.calls).toEqual([`POST ${RESUME_URL}&wake=the+sleep`]);
	});
});

describe('whether n8n reaches its own address', () => {
	let hosts = 0;

	/** An address that nobody has asked about. */
	const newHost = (): string => `https://n8n-${hosts++}.example.com`;

	it.each([
		[200, true],
		[204, true],
		[302, false],
		[403, false],
		[502, false],
	])('is told by its answer %i to a call that loads no execution: %s', async (statusCode, is) => {
		const url = `${newHost()}/webhook-waiting/1?signature=a`;
		n8n.answer = () => ({ statusCode });
		expect(await reachesItself(context, url)).toBe(is);
		expect(n8n.calls).toEqual([`OPTIONS ${url}`]);
	});

	/** Whether n8n is asked again after some minutes. */
	async function isAskedAgain(minutes: number, answer: Answer): Promise<boolean> {
		const host = newHost();
		n8n.answer = () => answer;
		n8n.calls = [];
		await reachesItself(context, `${host}/webhook-waiting/1`);
		jest.setSystemTime(Date.now() + minutes * 60_000);
		await reachesItself(context, `${host}/webhook-waiting/2`);
		return n8n.calls.length === 2;
	}

	it('is asked once an hour while it does', async () => {
		expect(await isAskedAgain(59, { statusCode: 204 })).toBe(false);
		expect(await isAskedAgain(61, { statusCode: 204 })).toBe(true);
		expect(n8n.warnings).toEqual([]);
	});

	it('is asked every five minutes while it does not, and n8n’s log has a warning for each', async () => {
		expect(await isAskedAgain(4, undefined)).toBe(false);
		expect(n8n.warnings).toHaveLength(1);
		expect(await isAskedAgain(6, undefined)).toBe(true);
		expect(n8n.warnings).toHaveLength(3);
		expect(n8n.warnings[0]).toContain('n8n does not reach its own address https://n8n-');
	});
});
