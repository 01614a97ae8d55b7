import { setImmediate } from 'node:timers/promises';

import {
	mayWake,
	type WakingContext,
} from '../../../../nodes/BrowserAutomation/execution/waiting/sleep/claim';
import { untilAnswered } from '../../../../nodes/BrowserAutomation/execution/waiting/sleep/hold';
import {
	endSleeps,
	remember,
	type AsleepLedger,
	type Claim,
} from '../../../../nodes/BrowserAutomation/execution/waiting/sleep/sleepers';
import { ledgerOf } from '../ledgerOf';

/** The moment, which goes on only with pauses, in milliseconds since 1970. */
let now = 1_700_000_000_000;

/** The pauses that were made, in milliseconds. */
const naps: number[] = [];

/** More than any test needs. */
const MOST_NAPS = 500;

jest.setTimeout(2_000);

jest.mock('n8n-workflow', () => ({
	...jest.requireActual<object>('n8n-workflow'),
	sleep: async (milliseconds: number): Promise<void> => {
		naps.push(milliseconds);
		if (naps.length > MOST_NAPS) throw new Error('The pauses have no end');
		await setImmediate();
		now += milliseconds;
	},
}));

const inTime = (): AbortSignal => new AbortController().signal;
const tooLate = AbortSignal.abort();

/** Handlers that n8n has not answered yet, which would keep their turns. */
const handlers: Handler[] = [];

beforeEach(() => {
	jest.spyOn(Date, 'now').mockImplementation(() => now);
	naps.length = 0;
});

afterEach(async () => {
	for (const handler of handlers.splice(0)) handler.answer(200);
	now += 60_000;
	await quiet();
	jest.restoreAllMocks();
});

/** Waits until nothing happens any more but pauses. */
async function quiet(): Promise<void> {
	for (let turn = 0; turn < 30; turn++) await setImmediate();
}

/** The status that n8n answers with when it is asked whether an execution sleeps a sleep. */
type Ask = () => number | Promise<number>;

/** A handler of a callback, or of a person with the status page, in an n8n that says which sleep is the present one. */
class Handler {
	readonly asked: string[] = [];
	private readonly response = { headersSent: false, statusCode: 200 };

	constructor(
		private readonly ask: Ask,
		private readonly setting: { isPage?: boolean; isManual?: boolean } = {},
	) {
		handlers.push(this);
	}

	/** n8n answers the handler's call. */
	answer(statusCode: number): void {
		Object.assign(this.response, { headersSent: true, statusCode });
	}

	async mayWake(asleep: AsleepLedger, late = inTime()): Promise<Claim> {
		return await mayWake(this.context(), asleep, late);
	}

	private context(): WakingContext {
		const { isPage = false, isManual = false } = this.setting;
		const { response } = this;
		const nothing = (): unknown => undefined;
		return {
			getMode: () => (isManual ? 'manual' : 'webhook'),
			getWebhookName: () => (isPage ? 'setup' : 'default'),
			getRequestObject: () => ({ method: 'POST' }),
			getResponseObject: () => ({
				once: nothing,
				get headersSent() {
					return response.headersSent;
				},
				get statusCode() {
					return response.statusCode;
				},
				status() {
					return this;
				},
				setHeader: nothing,
				json: nothing,
				writeHead: nothing,
				end: nothing,
			}),
			helpers: {
				httpRequest: async ({ method, url }): Promise<unknown> => {
					this.asked.push(`${method} ${url}`);
					return { headers: {}, statusCode: await this.ask() };
				},
			},
		};
	}
}

const present: Ask = () => 200;

/** What a handler answers that was called for another sleep. */
const another: Ask = () => 403;

const status =
	(statusCode: number): Ask =>
	() =>
		statusCode;

/** n8n says these in turn, the last again and again. */
function sayingInTurn(...answers: Ask[]): Ask {
	let turn = 0;
	return () => answers[Math.min(turn++, answers.length - 1)]?.() ?? 500;
}

const noAnswer: Ask = () => {
	throw new Error('connection refused');
};

let executions = 0;

interface Setting {
	/** When n8n's clock wakes it. */
	date?: number;
	resumeUrl?: string;
}

/** An execution that sleeps, in a process that has not put it to sleep. */
function asleep({
	date = now + 600_000,
	resumeUrl = 'https://n8n.example.com/webhook-waiting/1?signature=a',
}: Setting = {}): AsleepLedger {
	const count = executions++;
	const sleep = { id: `sleep${count}`, resumeUrl, date, idleWakes: 0 };
	const executionId = `execution ${count}`;
	return { ...ledgerOf([], { executionId, deadline: now + 900_000 }), sleep };
}

/** The same in the process that has put it to sleep. */
function asleepHere(setting?: Setting): AsleepLedger {
	const ledger = asleep(setting);
	remember(ledger, ledger.sleep, { account: 'a', canWake: true });
	return ledger;
}

describe('in the process that put the execution to sleep', () => {
	it('the first handler wakes it, and nobody is asked', async () => {
		const ledger = asleepHere();
		const handler = new Handler(noAnswer);
		expect(await handler.mayWake(ledger)).toBe('mine');
		expect(await handler.mayWake(ledger)).toBe('others');
		expect(handler.asked).toEqual([]);
	});

	it('nobody wakes it from an earlier sleep, and nobody is asked', async () => {
		const earlier = asleepHere();
		endSleeps(earlier.executionId);
		const sleep = { ...earlier.sleep, id: 'later' };
		remember(earlier, sleep, { account: 'a', canWake: true });
		for (const isManual of [false, true]) {
			const handler = new Handler(present, { isManual });
			expect(await handler.mayWake(earlier)).toBe('over');
			expect(handler.asked).toEqual([]);
		}
		expect(await new Handler(noAnswer).mayWake({ ...earlier, sleep })).toBe('mine');
	});

	it('a sleep that ends while n8n is asked about it is over', async () => {
		const ledger = asleepHere();
		const isAsleep: Ask = () => {
			endSleeps(ledger.executionId);
			return present();
		};
		expect(await new Handler(isAsleep, { isManual: true }).mayWake(ledger)).toBe('over');
	});

	it('n8n is asked all the same in the editor, where another process may carry it on', async () => {
		const handler = new Handler(another, { isManual: true });
		expect(await handler.mayWake(asleepHere())).toBe('over');
		expect(handler.asked).toHaveLength(1);
	});

	it.each([
		['has answered 500', 500, 'mine'],
		['has answered 503', 503, 'mine'],
		['has answered 499', 499, 'others'],
		['has not answered', undefined, 'others'],
	])('another handler wakes it where n8n %s to the first: %s', async (_, status, may) => {
		const ledger = asleepHere();
		const first = new Handler(noAnswer);
		await first.mayWake(ledger);
		if (status !== undefined) first.answer(status);
		expect(await new Handler(noAnswer).mayWake(ledger)).toBe(may);
	});

	it.each([
		[29_999, 'others'],
		[30_000, 'mine'],
	])(
		'another handler wakes it %d ms after one to which n8n did not answer: %s',
		async (ms, may) => {
			const ledger = asleepHere();
			await new Handler(noAnswer).mayWake(ledger);
			now += ms;
			expect(await new Handler(noAnswer).mayWake(ledger)).toBe(may);
		},
	);

	/** How long the woken execution waits for the handler that has woken it, once n8n has answered. */
	async function waits(handler: Handler, ledger: AsleepLedger): Promise<number> {
		await handler.mayWake(ledger);
		handler.answer(200);
		const begun = now;
		await untilAnswered(endSleeps(ledger.executionId));
		return now - begun;
	}

	it('is awake as soon as n8n has answered', async () => {
		expect(await waits(new Handler(noAnswer), asleepHere())).toBe(0);
	});

	it('is not awake before half a second where a page is answered first', async () => {
		expect(await waits(new Handler(noAnswer, { isPage: true }), asleepHere())).toBe(500);
	});

	it('is not awake before half a second in an n8n that answers first', async () => {
		const resumeUrl = 'https://n8n.example.com/webhook-waiting/1';
		expect(await waits(new Handler(noAnswer), asleepHere({ resumeUrl }))).toBe(500);
	});

	it('is not awake before n8n has answered', async () => {
		const ledger = asleepHere();
		const handler = new Handler(noAnswer);
		await handler.mayWake(ledger);
		let isAwake = false;
		const waking = untilAnswered(endSleeps(ledger.executionId)).then(() => (isAwake = true));
		await quiet();
		expect(isAwake).toBe(false);
		handler.answer(200);
		await waking;
	});
});

describe('near the moment of n8n’s clock', () => {
	const unsigned = 'https://n8n.example.com/webhook-waiting/1';

	it.each([
		[75_001, 'mine'],
		[75_000, 'others'],
		[-10_000, 'others'],
		[-10_001, 'mine'],
	])(
		'nobody wakes it in an n8n that would carry it out twice, nor asks: in %d ms: %s',
		async (ms, may) => {
			for (const fall of [asleep, asleepHere]) {
				const handler = new Handler(present);
				expect(await handler.mayWake(fall({ date: now + ms, resumeUrl: unsigned }))).toBe(may);
				if (may === 'others') expect(handler.asked).toEqual([]);
				handler.answer(200);
			}
		},
	);

	it('it is woken in any other', async () => {
		for (const ms of [2_000, 0, -2_000]) {
			expect(await new Handler(noAnswer).mayWake(asleepHere({ date: now + ms }))).toBe('mine');
		}
		expect(await new Handler(present).mayWake(asleep({ date: now }))).toBe('mine');
	});
});

describe('in another process', () => {
	it('n8n is asked at the execution’s own address', async () => {
		const handler = new Handler(present);
		const ledger = asleep();
		expect(await handler.mayWake(ledger)).toBe('mine');
		expect(handler.asked).toEqual([
			`POST https://n8n.example.com/webhook-waiting/1?signature=a&ask=${ledger.sleep.id}`,
		]);
	});

	it.each([
		['sleeps another sleep', another],
		['has ended', status(409)],
		['does not exist', status(404)],
		['cannot be asked about by us', status(499)],
	])('it is not woken when it %s, and n8n is asked once', async (_, ask) => {
		const handler = new Handler(ask);
		expect(await handler.mayWake(asleep())).toBe('over');
		expect(handler.asked).toHaveLength(1);
	});

	const late: Ask = () => {
		now += 1_001;
		return present();
	};

	it.each([
		['cannot be reached', noAnswer],
		['answers 500', status(500)],
		['answers after a second', late],
	])('n8n is asked four times, with longer pauses, where it %s', async (_, ask) => {
		const handler = new Handler(ask);
		expect(await handler.mayWake(asleep())).toBe('busy');
		expect(handler.asked).toHaveLength(4);
		expect(naps).toEqual([500, 1_000, 2_000]);
	});

	it('an answer after exactly a second counts', async () => {
		const inASecond: Ask = () => {
			now += 1_000;
			return present();
		};
		expect(await new Handler(inASecond).mayWake(asleep())).toBe('mine');
	});

	it('it is woken when n8n answers at last', async () => {
		const handler = new Handler(sayingInTurn(noAnswer, status(503), present));
		expect(await handler.mayWake(asleep())).toBe('mine');
		expect(handler.asked).toHaveLength(3);
	});

	it('n8n is asked no more when an answer would come too late', async () => {
		const handler = new Handler(noAnswer);
		expect(await handler.mayWake(asleep(), tooLate)).toBe('busy');
		expect(handler.asked).toHaveLength(1);
	});

	it('one handler asks about a sleep, and afterwards another may', async () => {
		const ledger = asleep();
		const first = new Handler(noAnswer);
		const asking = first.mayWake(ledger);
		const second = new Handler(present);
		expect(await second.mayWake(ledger)).toBe('others');
		expect(second.asked).toEqual([]);
		expect(await asking).toBe('busy');
		expect(await second.mayWake(ledger)).toBe('mine');
	});

	it('a callback’s handler does not rely on one for a person, who may not come again', async () => {
		const ledger = asleep();
		const asking = new Handler(noAnswer, { isPage: true }).mayWake(ledger);
		expect(await new Handler(present).mayWake(ledger)).toBe('mine');
		expect(await asking).toBe('others');
	});

	it('a handler for a person relies on one of a callback', async () => {
		const ledger = asleep();
		const asking = new Handler(noAnswer).mayWake(ledger);
		const person = new Handler(present, { isPage: true });
		expect(await person.mayWake(ledger)).toBe('others');
		expect(person.asked).toEqual([]);
		await asking;
	});

	it('a handler does not ask when another one is waking it', async () => {
		const ledger = asleep();
		await new Handler(present).mayWake(ledger);
		const second = new Handler(present);
		expect(await second.mayWake(ledger)).toBe('others');
		expect(second.asked).toEqual([]);
	});

	it('an address that is none is an error, and costs no turn', async () => {
		for (let count = 0; count < 4; count++) {
			const broken = asleep({ resumeUrl: 'nowhere' });
			await expect(new Handler(noAnswer).mayWake(broken)).rejects.toThrow('Invalid URL');
		}
		expect(await new Handler(present).mayWake(asleep())).toBe('mine');
	});
});

describe('of many handlers', () => {
	/** n8n says nothing until it is let. */
	function slow(): { ask: Ask; say: (answer: Ask) => void } {
		let say: (answer: Ask) => void = () => undefined;
		const answer = new Promise<Ask>((resolve) => (say = resolve));
		return { ask: async () => await (await answer)(), say };
	}

	it('three ask at once, and the next one when one of them is done', async () => {
		const { ask, say } = slow();
		const first = [1, 2, 3].map(() => new Handler(ask));
		const asking = first.map(async (handler) => await handler.mayWake(asleep()));
		const fourth = new Handler(present);
		const waiting = fourth.mayWake(asleep());
		await quiet();
		expect(first.flatMap(({ asked }) => asked)).toHaveLength(3);
		expect(fourth.asked).toEqual([]);
		say(another);
		expect(await waiting).toBe('mine');
		expect(await Promise.all(asking)).toEqual(['over', 'over', 'over']);
	});

	it.each([
		['has answered', 200],
		['could not', 500],
	])('one that wakes an execution keeps its turn until n8n %s', async (_, status) => {
		const first = [1, 2, 3].map(() => new Handler(present));
		for (const handler of first) expect(await handler.mayWake(asleep())).toBe('mine');
		const fourth = new Handler(present);
		const waiting = fourth.mayWake(asleep());
		await setImmediate();
		expect(fourth.asked).toEqual([]);
		first[0]?.answer(status);
		expect(await waiting).toBe('mine');
	});

	it('one that wakes an execution keeps its turn for half a minute at most, looked at less and less often', async () => {
		const first = [1, 2, 3].map(() => new Handler(present));
		for (const handler of first) await handler.mayWake(asleep());
		const begun = now;
		expect(await new Handler(present).mayWake(asleep())).toBe('mine');
		expect(now - begun).toBeGreaterThanOrEqual(29_000);
		expect(naps.filter((nap) => nap === 50)).toHaveLength(3 + 1);
		expect(Math.max(...naps)).toBe(1_000);
	});

	it('one for which a turn would come too late has to come again', async () => {
		const { ask, say } = slow();
		const asking = [1, 2, 3].map(async () => await new Handler(ask).mayWake(asleep()));
		expect(await new Handler(present).mayWake(asleep(), tooLate)).toBe('busy');
		say(another);
		await Promise.all(asking);
	});

	it('twenty-five wait for their turn; one more has to come again', async () => {
		const { ask, say } = slow();
		const asking = Array.from({ length: 28 }, async () => await new Handler(ask).mayWake(asleep()));
		const tooMany = new Handler(ask);
		expect(await tooMany.mayWake(asleep())).toBe('busy');
		expect(tooMany.asked).toEqual([]);
		say(another);
		expect(await Promise.all(asking)).toEqual(asking.map(() => 'over'));
	});
});
