const [WIDTH, HEIGHT] = [860, 420];
const [LEFT, RIGHT, TOP, BOTTOM] = [70, 190, 30, 30];

/** A line through points. */
export interface Line {
	color: string;
	points: Array<readonly [x: number, y: number]>;
	width: number;
	/** As SVG's `stroke-dasharray`. */
	dashes?: string;
}

/** A chart as SVG, on light and on dark ground. Each axis goes from its first tick to its last; the legend has names by colours. */
export function plot(
	title: string,
	across: number[],
	up: number[],
	{ lines, legend }: { lines: Line[]; legend: Record<string, string> },
): string {
	const x = scale(across, LEFT, WIDTH - RIGHT);
	const y = scale(up, HEIGHT - BOTTOM, TOP);
	const text = (left: number, top: number, words: string | number, anchor = 'start'): string =>
		`<text x="${left.toFixed(1)}" y="${top.toFixed(1)}" text-anchor="${anchor}">${words}</text>`;
	const path = ({ points, color, dashes = 'none', width }: Line): string => {
		const places = points.map(([at, value]) => `${x(at).toFixed(1)},${y(value).toFixed(1)}`);
		return `<polyline points="${places.join(' ')}" fill="none" stroke="${color}" stroke-width="${width}" stroke-dasharray="${dashes}"/>`;
	};
	const [first = 0, last = 1] = [across[0], across.at(-1)];
	return [
		`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${title}">`,
		'<style>text{fill:#57606a;font:13px sans-serif}@media(prefers-color-scheme:dark){text{fill:#adbac7}}</style>',
		text(LEFT, 16, title),
		...up.flatMap((tick) => [
			path({
				color: '#8c959f59',
				width: 1,
				points: [first, last].map((at) => [at, tick] as const),
			}),
			text(LEFT - 8, y(tick) + 4, tick, 'end'),
		]),
		...across.map((tick) => text(x(tick), HEIGHT - BOTTOM + 22, tick, 'middle')),
		...lines.map(path),
		...Object.entries(legend).map(([name, color], index) => {
			const top = TOP + 14 + index * 20;
			return `<rect x="${WIDTH - RIGHT + 14}" y="${top - 9}" width="10" height="10" fill="${color}"/>${text(WIDTH - RIGHT + 30, top, name)}`;
		}),
		'</svg>\n',
	].join('\n');
}

/** Where a value of an axis lies between two ends of the picture. */
function scale(ticks: number[], begin: number, end: number): (value: number) => number {
	const [first = 0, last = 1] = [ticks[0], ticks.at(-1)];
	return (value) => begin + ((value - first) / (last - first)) * (end - begin);
}

/** Round numbers from 0 up to a value or a little more, four to nine of them. */
export function ticksTo(value: number): number[] {
	const power = 10 ** Math.floor(Math.log10(value / 4));
	const factor = [5, 2, 1].find((each) => each * power * 4 <= value) ?? 1;
	const step = Math.max(1, factor * power);
	return Array.from({ length: Math.ceil(value / step) + 1 }, (_, index) => index * step);
}
