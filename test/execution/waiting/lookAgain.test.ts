import {
	lookAgain,
	wakeForNextWave,
	WAVE_KEY,
} from '../../../nodes/BrowserAutomation/execution/waiting/lookAgain';
import type { Ledger } from '../../../nodes/BrowserAutomation/execution/waiting/ledger';
import type { JsonValue } from '../../../nodes/BrowserAutomation/service/json';
import { answerJson, forAllTests, Origin, type Handler } from '../../fixture';
import { lapseTime } from '../../timeLapse';
import { insideNode } from '../insideNode';
import { ledgerOf } from './ledgerOf';

jest.mock('n8n-workflow', () =>
	jest.requireActual<{ lapsed(): object }>('../../timeLapse').lapsed(),
);

/** The address where n8n takes callbacks. */
const n8n = forAllTests(new Origin());

lapseTime(500);

const saying =
	(status: number, message = ''): Handler =>
	(_, response) =>
		answerJson(response, status, { message });

/** Says these in turn, the last again and again. */
function answerWith(...answers: Handler[]): void {
	let turn = 0;
	n8n.answerWith((request, response) => {
		answers[Math.min(turn++, answers.length - 1)]?.(request, response);
	});
}

const resumeUrl = (): string => `${n8n.url}/webhook-waiting/1?signature=a`;

const stillAwake = 'The execution "1" is running already.';

describe('an execution that wakes itself for its next starts', () => {
	async function wake(): Promise<string[]> {
		await insideNode(async (context) => {
			await wakeForNextWave(context, 'this sleep', resumeUrl());
			return true;
		});
		return n8n.received.map(({ method, url }) => `${method} ${url}`);
	}

	it.each([
		['is asleep', [saying(200)], 1],
		['is not stored yet', [saying(409, stillAwake), saying(409, stillAwake), saying(200)], 3],
		['cannot be stored for the moment', [saying(500), saying(503), saying(200)], 3],
		['has ended', [saying(409, 'The execution "1" has finished already.')], 1],
		['is not known', [saying(404)], 1],
		['is never stored', [saying(409, stillAwake)], 8],
		['cannot be reached', [(request) => void request.destroy()], 1],
	] as Array<[string, Handler[], number]>)(
		'calls n8n as often as that may help where it %s',
		async (_, answers, calls) => {
			answerWith(...answers);
			expect(await wake()).toHaveLength(calls);
		},
	);

	it('names the sleep that it is to be woken from', async () => {
		answerWith(saying(200));
		expect(await wake()).toEqual([`POST /webhook-waiting/1?signature=a&${WAVE_KEY}=this+sleep`]);
	});
});

describe('the look at what may have ended before the execution was asleep', () => {
	async function look(ledger: Ledger, answer: () => JsonValue): Promise<string[]> {
		answerWith(saying(200));
		const client = { baseUrl: 'https://service.test', send: () => Promise.resolve().then(answer) };
		await insideNode(async (context) => {
			await lookAgain(context, client, ledger, resumeUrl());
			return true;
		});
		return n8n.received.map(({ url }) => url);
	}

	const running = (): Ledger =>
		ledgerOf([
			{ refusal: { message: '', advice: '', facts: {} } },
			{ taskId: '7', status: 'running' },
		]);

	it('wakes it as the callback of the run would where it has ended', async () => {
		const ledger = running();
		const [called = '', ...more] = await look(ledger, () => ({ task_id: '7', status: 'finished' }));
		expect(more).toEqual([]);
		expect(new URL(called, n8n.url).searchParams.get('item')).toBe('1');
		expect(new URL(called, n8n.url).searchParams.get('nonce')).toMatch(/^[0-9a-f]{32}$/);
		// n8n has stored the ledger as it was.
		expect(ledger.entries[1]?.status).toBe('running');
	});

	it('wakes it where its first item has ended', async () => {
		const ledger = ledgerOf([{ taskId: '7', status: 'running' }]);
		expect(await look(ledger, () => ({ task_id: '7', status: 'finished' }))).toEqual([
			expect.stringContaining('&item=0&'),
		]);
	});

	it('wakes nothing where the run goes on', async () => {
		expect(await look(running(), () => ({ task_id: '7', status: 'running' }))).toEqual([]);
	});

	it('wakes nothing where no run was started', async () => {
		const refusal = { message: '', advice: '', facts: {} };
		expect(await look(ledgerOf([{ refusal }]), () => ({}))).toEqual([]);
		const request = { method: 'POST', path: '/v3/bots/1/runs' } as const;
		expect(await look(ledgerOf([{ request }]), () => ({}))).toEqual([]);
	});

	it('leaves it to n8n’s clock where the service cannot be asked', async () => {
		const fail = (): JsonValue => {
			throw new Error('no connection');
		};
		expect(await look(running(), fail)).toEqual([]);
	});
});
