import { Budget } from '../../../nodes/BrowserAutomation/service/schema/budget';

/** Whether work is done to its end. */
const isDone = (budget: Budget, work: () => void): boolean =>
	budget.tryTo(() => {
		work();
		return true;
	}) === true;

it('work is given up when there is more of it than may be', () => {
	const budget = new Budget(3);
	expect(isDone(budget, () => budget.spend(3))).toBe(true);
	expect(isDone(budget, () => budget.spend(1))).toBe(false);
});

it('work is given up when it goes too deep, and not when there is much side by side', () => {
	const budget = new Budget();
	const nested = (levels: number): void => {
		if (levels > 0) budget.descend(() => nested(levels - 1));
	};
	for (let time = 0; time < 3; time++) {
		expect(isDone(budget, () => nested(250))).toBe(true);
		expect(isDone(budget, () => nested(251))).toBe(false);
	}
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
