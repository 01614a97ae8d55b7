import { createContext, runInContext } from 'node:vm';

import { SCRIPT } from '../../../../nodes/BrowserAutomation/execution/waiting/statusPage/script';

const AT_WORK: [number, string] = [409, 'The execution is running already'];
const LOST: [number, string] = [502, ''];

type Answers = Array<[status: number, text: string]>;

/** What the page of a test has put in the place of its address. */
const addresses: string[] = [];
const note = (_: null, __: string, address: string) => void addresses.push(address);

/** A browser that shows the page, as far as its script needs one: n8n answers its buttons so in turn. */
function browserWith(answers: Answers, replaceState = note) {
	const elements = new Map<string, Record<string, unknown>>();
	const getElementById = (id: string) => {
		const querySelector = (tag: string) =>
			tag === 'a' ? { href: 'https://n8n.example.com/executions/7' } : { textContent: 'Done' };
		const found = elements.get(id) ?? { textContent: '', querySelector };
		elements.set(id, found);
		return found;
	};
	const listeners = new Map<string, (event: object) => unknown>();
	const asked: string[] = [];
	const body = { dataset: { refresh: '5' } };
	const addEventListener = listeners.set.bind(listeners);
	const document = { getElementById, body, querySelectorAll: () => [], addEventListener };
	const fetch = async (_: string, { body }: { body?: URLSearchParams }) => {
		asked.push(body?.toString() ?? 'poll');
		// An answer takes its time.
		await new Promise((resolve) => setTimeout(resolve, 60));
		const [status, text] = (body === undefined ? undefined : answers.shift()) ?? AT_WORK;
		return { ok: status === 200, status, text: async () => text };
	};
	const outside = { location: { href: '' }, history: { replaceState }, URLSearchParams };
	runInContext(SCRIPT, createContext({ document, fetch, ...outside, setTimeout, clearTimeout }));
	const press = (name = 'action', value = 'cancelAll') => {
		const submitter = { name, value, dataset: {} };
		return listeners.get('submit')?.({ preventDefault: () => undefined, submitter });
	};
	const shows = (id: string) => getElementById(id)['hidden'] === false;
	return { asked, press, shows, words: () => getElementById('connection')['textContent'] };
}

beforeEach(() => {
	addresses.length = 0;
	jest.useFakeTimers();
});
afterEach(() => jest.useRealTimers());

it('presses a button until it is taken, also between two waves of starts', async () => {
	const atWork = Array.from({ length: 70 }, () => AT_WORK);
	const { asked, press, words } = browserWith([...atWork, [200, '{"canceled":true}']]);
	void press();
	await jest.advanceTimersByTimeAsync(1_000);
	expect(asked.length).toBeGreaterThan(5);
	expect(words()).toBe('n8n is at work …');
	const presses = () => asked.filter((what) => what === 'action=cancelAll').length;
	for (let time = 0; time < 60_000 && presses() < 71; time += 10) {
		await jest.advanceTimersByTimeAsync(10);
	}
	await jest.advanceTimersByTimeAsync(70);
	expect(words()).toBe('All runs are being canceled.');
	await jest.advanceTimersByTimeAsync(10_000);
	expect(presses()).toBe(71);
});

it.each([
	['resume', 1],
	['cancel', 2],
])('presses %s so often where the first answer is lost: %d', async (name, times) => {
	const { asked, press } = browserWith([LOST, [200, '']]);
	void press(name, '7');
	await jest.advanceTimersByTimeAsync(1_000);
	expect(asked).toEqual(Array(times).fill(`${name}=7`));
});

it('loses no button that is pressed while the page polls', async () => {
	const { asked, press } = browserWith([[200, '{"canceled":true}']]);
	await jest.advanceTimersByTimeAsync(5_010);
	expect(asked).toEqual(['poll']);
	void press();
	await jest.advanceTimersByTimeAsync(500);
	expect(asked).toEqual(['poll', 'action=cancelAll']);
});

describe('when the execution has ended', () => {
	const over = (text = 'has finished already'): Answers => [[409, text]];

	it.each([
		['as it was canceled', 'has finished with error', 'failed'],
		['with its results', 'has finished already', 'done'],
	])('%s, no button is pressed any more, and the address leads to n8n', async (_, text, shown) => {
		const { asked, press, shows } = browserWith([AT_WORK, ...over(text)]);
		void press();
		await jest.advanceTimersByTimeAsync(30_000);
		expect(asked).toHaveLength(2);
		// So that loading the page again shows no raw answer.
		expect(addresses).toEqual(['https://n8n.example.com/executions/7']);
		expect(['failed', 'done'].filter(shows)).toEqual([shown]);
	});

	it('the page ends in words also where n8n is another site, whose address no page may take', async () => {
		const { press, words, asked } = browserWith(over(), () => {
			throw new Error('SecurityError');
		});
		void press();
		await jest.advanceTimersByTimeAsync(30_000);
		expect(words()).toBe('');
		expect(asked).toHaveLength(1);
	});
});
