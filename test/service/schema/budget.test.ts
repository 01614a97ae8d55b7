import { Budget } from '../../../nodes/BrowserAutomation/service/schema/schema';

/** Whether work is done to its end. */
const isDone = (budget: Budget, work: () => void): boolean =>
	budget.tryTo(() => {
		work();
		return true;
	}) === true;

it('work is given up when there is more of it than may be', () => {
	const budget = new Budget(3);
	expect(isDone(budget, () => budget.look([1, true, {}]))).toBe(true);
	expect(isDone(budget, () => budget.look([null]))).toBe(false);
});

it.each([
	['members', Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`n${index}`, 1]))],
	['elements', Array(500).fill(1)],
	['characters', 'x'.repeat(5_000)],
])('many %s are more work than few', (_, value) => {
	const [enough, little] = [new Budget(51), new Budget(50)];
	expect(isDone(enough, () => enough.look([value]))).toBe(true);
	expect(isDone(little, () => little.look([value]))).toBe(false);
});

it('any other failure stays one', () => {
	const budget = new Budget();
	expect(() =>
		budget.tryTo(() => {
			throw new Error('a bug');
		}),
	).toThrow('a bug');
	expect(budget.tryTo(() => 'done')).toBe('done');
});
