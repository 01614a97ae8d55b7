/** A line of the plot: what something cost with inputs of several sizes. */
export interface Line {
	name: string;
	/** A dotted line in the colour of the one before: the same by other means. */
	isPeer?: boolean;
	points: Array<{ size: number; cost: number }>;
}

const WIDTH = 760;
const HEIGHT = 440;
const LEFT = 70;
const RIGHT = 190;
const TOP = 30;
const BOTTOM = 50;
const FACTORS = [1, 10, 100, 1_000];
const MOST = 200;

const COLORS = ['#0072b2', '#d55e00', '#009e73', '#cc79a7', '#e69f00', '#56b4e9', '#8c6d31'];

function x(factor: number): number {
	return LEFT + (Math.log10(factor) / Math.log10(FACTORS.at(-1) ?? 1)) * (WIDTH - LEFT - RIGHT);
}

function y(ratio: number): number {
	const share = Math.log10(Math.max(ratio, 0.5) / 0.5) / Math.log10(MOST / 0.5);
	return HEIGHT - BOTTOM - share * (HEIGHT - TOP - BOTTOM);
}

/**
 * Lines over the size of the input, both axes by powers of ten, in colours that can be told apart in light and in
 * dark. The dashed line is what grows as fast as its input: nothing should rise more steeply.
 *
 * @returns SVG
 */
export function plotOf(title: string, lines: Line[]): string {
	const grid = [1, 10, 100]
		.map(
			(ratio) =>
				`<line class="grid" x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${y(ratio)}" y2="${y(ratio)}"/>` +
				`<text class="text" x="${LEFT - 8}" y="${y(ratio) + 4}" text-anchor="end">${ratio}×</text>`,
		)
		.join('');
	const sizes = FACTORS.map(
		(factor) =>
			`<text class="text" x="${x(factor)}" y="${HEIGHT - BOTTOM + 22}" text-anchor="middle">${factor}×</text>`,
	).join('');
	const proportional = `<line class="even" x1="${x(1)}" y1="${y(1)}" x2="${x(100)}" y2="${y(100)}"/>`;
	let color = -1;
	const drawn = lines.map((line, index) => {
		if (line.isPeer !== true) color += 1;
		return drawLine(line, COLORS[color % COLORS.length] ?? '#888', index);
	});
	return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${title}">
<style>.text{fill:#57606a;font:13px sans-serif}.grid{stroke:#8c959f;stroke-opacity:.35}.even{stroke:#8c959f;stroke-dasharray:6 4}@media(prefers-color-scheme:dark){.text{fill:#adbac7}}</style>
<text class="text" x="${LEFT}" y="16">${title}</text>
${grid}${sizes}${proportional}
<text class="text" x="${(LEFT + WIDTH - RIGHT) / 2}" y="${HEIGHT - 8}" text-anchor="middle">size of the input</text>
${drawn.join('\n')}
</svg>
`;
}

function drawLine({ name, points, isPeer = false }: Line, color: string, index: number): string {
	const [first] = points;
	if (first === undefined) return '';
	const places = points.map(
		({ size, cost }) => [x(size / first.size), y(cost / first.cost)] as const,
	);
	const path = places.map(([left, top]) => `${left.toFixed(1)},${top.toFixed(1)}`).join(' ');
	const dotted = isPeer ? ' stroke-dasharray="2 4"' : '';
	const dots = places
		.map(
			([left, top]) =>
				`<circle cx="${left.toFixed(1)}" cy="${top.toFixed(1)}" r="3" fill="${color}"/>`,
		)
		.join('');
	const label = TOP + 14 + index * 20;
	return (
		`<polyline points="${path}" fill="none" stroke="${color}" stroke-width="2"${dotted}/>${dots}` +
		`<rect x="${WIDTH - RIGHT + 14}" y="${label - 9}" width="10" height="10" fill="${color}"/>` +
		`<text class="text" x="${WIDTH - RIGHT + 30}" y="${label}">${name}</text>`
	);
}
