import {
	coalesce,
	forgetReports,
	reportsOf,
} from '../../../nodes/BrowserAutomation/execution/waiting/coalesce';

const never = () => false;
const always = () => true;

beforeEach(() => jest.useFakeTimers({ now: 1_000_000 }));
afterEach(() => jest.useRealTimers());

/** A look that ends when the test says so. */
function lookOf(name: string) {
	let end: (name: string) => void = () => undefined;
	const look = jest.fn(async () => await new Promise<string>((resolve) => (end = resolve)));
	return { look, end: () => end(name) };
}

/** What nothing has been reported of yet, however often the tests are run. */
function newReports() {
	forgetReports('sleep');
	return reportsOf('sleep');
}

const passed = async (milliseconds: number) => await jest.advanceTimersByTimeAsync(milliseconds);

it('a sleep’s reports are the same until they are forgotten', () => {
	const reports = reportsOf('same');
	expect(reports.reported.size).toBe(0);
	expect(reportsOf('same')).toBe(reports);
	expect(reportsOf('another')).not.toBe(reports);
	forgetReports('same');
	expect(reportsOf('same')).not.toBe(reports);
});

it('the first look begins at once', async () => {
	const { look, end } = lookOf('first');
	const found = coalesce(newReports(), never, look);
	await passed(0);
	expect(look).toHaveBeenCalledTimes(1);
	end();
	expect(await found).toBe('first');
});

it('callers that come during a look share the next one, which begins apart from it', async () => {
	const reports = newReports();
	const first = lookOf('first');
	const second = lookOf('second');
	const third = lookOf('third');
	const begun = coalesce(reports, never, first.look);
	await passed(0);
	const next = coalesce(reports, never, second.look);
	expect(await coalesce(reports, never, third.look)).toBeUndefined();

	await passed(10_000);
	expect(second.look).not.toHaveBeenCalled();
	first.end();
	await passed(0);
	expect(second.look).toHaveBeenCalledTimes(1);
	second.end();
	expect([await begun, await next]).toEqual(['first', 'second']);
	expect(third.look).not.toHaveBeenCalled();
});

it('a look waits three seconds from the last one, unless it is urgent', async () => {
	const reports = newReports();
	const quick = async () => 'seen';
	await coalesce(reports, never, quick);

	const patient = jest.fn(quick);
	const waiting = coalesce(reports, never, patient);
	await passed(2_900);
	expect(patient).not.toHaveBeenCalled();
	await passed(100);
	expect(patient).toHaveBeenCalledTimes(1);
	await waiting;

	const urgent = jest.fn(quick);
	const hurried = coalesce(reports, always, urgent);
	await passed(0);
	expect(urgent).toHaveBeenCalledTimes(1);
	await hurried;
});

it('a look that fails is told to its caller, and keeps nobody from the next', async () => {
	const reports = newReports();
	const failing = coalesce(
		reports,
		always,
		async () => await Promise.reject(new Error('no answer')),
	);
	await expect(failing).rejects.toThrow('no answer');
	expect(await coalesce(reports, always, async () => 'seen')).toBe('seen');
});
