import type { Stop } from './faults';
import { floorOf, type Sample } from './memory';

const WIDTH = 860;
const HEIGHT = 380;
const LEFT = 62;
const RIGHT = 20;
const TOP = 44;
const BOTTOM = 46;

/** Readable on light and on dark ground: the page's own colours are not known to a picture. */
const STYLE = `
	text { font: 13px system-ui, sans-serif; fill: #444 }
	.grid { stroke: #8884; stroke-width: 1 }
	.stop { stroke: #888; stroke-width: 1; stroke-dasharray: 3 4 }
	path { fill: none; stroke-width: 1.6 }
	.resident { stroke: #1769c9 } .heap { stroke: #c2570c }
	text.resident { stroke: none; fill: #1769c9 } text.heap { stroke: none; fill: #c2570c }
	.floor { stroke-width: 3 }
	@media (prefers-color-scheme: dark) {
		text { fill: #ccc }
		.resident { stroke: #6cb0ff } .heap { stroke: #ffa057 }
		text.resident { fill: #6cb0ff } text.heap { fill: #ffa057 }
	}`;

/** A picture (SVG) of n8n's memory over the minutes, with its restarts as dashed lines. */
export function plotMemory(
	samples: readonly Sample[],
	stops: readonly Stop[],
	begun: number,
): string {
	const minutes = Math.ceil(Math.max(1, ...samples.map(({ minute }) => minute)));
	const step = stepOf(Math.max(1, ...samples.map(({ resident }) => resident)));
	const max = step * Math.ceil(Math.max(1, ...samples.map(({ resident }) => resident)) / step);
	const x = (minute: number): number => LEFT + (minute / minutes) * (WIDTH - LEFT - RIGHT);
	const y = (megabytes: number): number =>
		HEIGHT - BOTTOM - (megabytes / max) * (HEIGHT - TOP - BOTTOM);
	const point = (minute: number, megabytes: number): string =>
		`${x(minute).toFixed(1)} ${y(megabytes).toFixed(1)}`;
	const lines = lives(samples, stops, begun).flatMap((life) =>
		(['resident', 'heap'] as const).flatMap((value) => [
			path(
				value,
				life.map((sample) => point(sample.minute, sample[value])),
			),
			path(
				`${value} floor`,
				floorOf(life, value).map(([minute, floor]) => point(minute + 0.5, floor)),
			),
		]),
	);
	const levels = Array.from({ length: max / step + 1 }, (_, index) => index * step);
	const times = Array.from({ length: minutes + 1 }, (_, minute) => minute).filter(
		(minute) => minute % stepOf(minutes) === 0,
	);
	return [
		`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="Memory of n8n by the minute">`,
		`<style>${STYLE}\n</style>`,
		...levels.map((level) => {
			const at = y(level).toFixed(1);
			return `<line class="grid" x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${at}" y2="${at}"/><text x="${LEFT - 8}" y="${Number(at) + 4}" text-anchor="end">${level}</text>`;
		}),
		...times.map(
			(minute) =>
				`<text x="${x(minute).toFixed(1)}" y="${HEIGHT - BOTTOM + 20}" text-anchor="middle">${minute}</text>`,
		),
		...stops.map(({ at }) => {
			const line = x((at - begun) / 60_000).toFixed(1);
			return `<line class="stop" x1="${line}" x2="${line}" y1="${TOP}" y2="${HEIGHT - BOTTOM}"/>`;
		}),
		...lines,
		`<text x="${LEFT}" y="20">Memory of n8n in MB; thick: lowest of each minute; dashed: n8n was restarted</text>`,
		`<text class="resident" x="${LEFT}" y="37">resident</text><text class="heap" x="${LEFT + 70}" y="37">JavaScript heap</text>`,
		`<text x="${(LEFT + WIDTH - RIGHT) / 2}" y="${HEIGHT - 8}" text-anchor="middle">minutes</text>`,
		'</svg>\n',
	].join('\n');
}

/** The samples of each process: a restart ends a line. */
function lives(
	samples: readonly Sample[],
	stops: readonly Stop[],
	begun: number,
): Array<readonly Sample[]> {
	const ends = [...stops.map(({ at }) => (at - begun) / 60_000), Infinity];
	return ends.map((end, index) => {
		const from = ends[index - 1] ?? 0;
		return samples.filter(({ minute }) => minute >= from && minute < end);
	});
}

function path(name: string, points: string[]): string {
	return points.length === 0 ? '' : `<path class="${name}" d="M${points.join('L')}"/>`;
}

/** A round number, of which four to eight go into a value. */
function stepOf(value: number): number {
	const power = 10 ** Math.floor(Math.log10(value / 4));
	return Math.max(
		1,
		power * ([1, 2, 5].filter((factor) => factor * power * 4 <= value).at(-1) ?? 1),
	);
}
