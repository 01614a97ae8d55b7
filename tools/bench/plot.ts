const [WIDTH, HEIGHT] = [860, 420];
const [LEFT, RIGHT, TOP, BOTTOM] = [70, 190, 30, 50];

/** Can be told apart on light and on dark ground. */
export const COLORS = ['#0072b2', '#d55e00', '#009e73', '#cc79a7', '#e69f00', '#56b4e9', '#8c6d31'];

/** An axis from its first tick to its last; by powers of ten where it is said. */
export interface Axis {
	title: string;
	unit?: string;
	ticks: number[];
	isLogarithmic?: boolean;
}

/** A line through points. One without a name is not in the legend. */
export interface Line {
	name?: string | undefined;
	color: string;
	points: Array<readonly [x: number, y: number]>;
	/** As SVG's `stroke-dasharray`. */
	dashes?: string;
	width?: number;
}

/** A chart as SVG. */
export function plot(title: string, across: Axis, up: Axis, lines: Line[]): string {
	const x = scale(across, LEFT, WIDTH - RIGHT);
	const y = scale(up, HEIGHT - BOTTOM, TOP);
	const text = (left: number, top: number, words: string, anchor = 'start'): string =>
		`<text x="${left.toFixed(1)}" y="${top.toFixed(1)}" text-anchor="${anchor}">${words}</text>`;
	const path = ({ points, color, dashes = 'none', width = 2 }: Line): string => {
		const places = points.map(([at, value]) => `${x(at).toFixed(1)},${y(value).toFixed(1)}`);
		return `<polyline points="${places.join(' ')}" fill="none" stroke="${color}" stroke-width="${width}" stroke-dasharray="${dashes}"/>`;
	};
	const grid = up.ticks.map((tick) => {
		const ends = [LEFT, WIDTH - RIGHT].map((left) => `${left},${y(tick).toFixed(1)}`);
		return `<polyline class="grid" points="${ends.join(' ')}"/>${text(LEFT - 8, y(tick) + 4, `${tick}${up.unit ?? ''}`, 'end')}`;
	});
	const legend = lines.filter(({ name }) => name !== undefined);
	return [
		`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${title}">`,
		'<style>text{fill:#57606a;font:13px sans-serif}.grid{stroke:#8c959f;stroke-opacity:.35}@media(prefers-color-scheme:dark){text{fill:#adbac7}}</style>',
		text(LEFT, 16, title),
		...grid,
		...across.ticks.map((tick) =>
			text(x(tick), HEIGHT - BOTTOM + 22, `${tick}${across.unit ?? ''}`, 'middle'),
		),
		text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 8, across.title, 'middle'),
		...lines.map(path),
		...legend.map(({ name = '', color }, index) => {
			const top = TOP + 14 + index * 20;
			return `<rect x="${WIDTH - RIGHT + 14}" y="${top - 9}" width="10" height="10" fill="${color}"/>${text(WIDTH - RIGHT + 30, top, name)}`;
		}),
		'</svg>\n',
	].join('\n');
}

/** Where a value of an axis lies between two ends of the picture. */
function scale({ ticks, isLogarithmic }: Axis, begin: number, end: number) {
	const measure = (value: number): number => (isLogarithmic ? Math.log10(value) : value);
	const [first, last] = [measure(ticks[0] ?? 0), measure(ticks.at(-1) ?? 1)];
	return (value: number): number =>
		begin + ((measure(value) - first) / (last - first)) * (end - begin);
}

/** What something cost with inputs of several sizes. */
export interface Growth {
	name: string;
	/** The same by other means as the one before: a dotted line in its colour. */
	isPeer?: boolean;
	points: Array<{ size: number; cost: number }>;
}

/** Costs beside that of the smallest input. The dashed line is what grows as fast as its input: none should rise more steeply. */
export function plotGrowth(title: string, all: Growth[]): string {
	const own = all.filter(({ isPeer }) => !isPeer);
	const lines = all.map(({ name, isPeer, points }, index): Line => {
		const place = all.slice(0, index + 1).filter((each) => own.includes(each)).length - 1;
		const [first = { size: 1, cost: 1 }] = points;
		return {
			name,
			color: COLORS[place % COLORS.length] ?? '#888',
			dashes: isPeer ? '2 4' : 'none',
			points: points.map(({ size, cost }) => [size / first.size, Math.max(cost / first.cost, 0.5)]),
		};
	});
	const even: Line = {
		color: '#8c959f',
		dashes: '6 4',
		points: [
			[1, 1],
			[100, 100],
		],
	};
	const across = { title: 'size of the input', unit: '×', ticks: [1, 10, 100, 1_000] };
	const up = { title: 'cost', unit: '×', ticks: [0.5, 1, 10, 100, 200] };
	return plot(title, { ...across, isLogarithmic: true }, { ...up, isLogarithmic: true }, [
		even,
		...lines,
	]);
}

/** Round numbers from 0 up to a value or a little more, four to nine of them. */
export function ticksTo(value: number): number[] {
	const power = 10 ** Math.floor(Math.log10(value / 4));
	const factor = [5, 2, 1].find((each) => each * power * 4 <= value) ?? 1;
	const step = Math.max(1, factor * power);
	return Array.from({ length: Math.ceil(value / step) + 1 }, (_, index) => index * step);
}
