import { setTimeout as sleep } from 'node:timers/promises';

import { fetchAlone } from '../../dev/fetchAlone';

/** n8n's memory at a moment, in megabytes. */
export interface Sample {
	/** Minutes since the beginning. */
	minute: number;
	/** Resident memory of the process. */
	resident: number;
	/** What JavaScript uses of its heap. */
	heap: number;
}

const EVERY_MS = 5_000;
const MEGABYTE = 1024 ** 2;

/** Reads n8n's own figures every five seconds; while it is down there are none. */
export async function sampleMemory(
	url: string,
	begun: number,
	signal: AbortSignal,
): Promise<Sample[]> {
	const samples: Sample[] = [];
	while (!signal.aborted) {
		const sample = await readMemory(url).catch(() => undefined);
		if (sample !== undefined) {
			samples.push({ minute: (Date.now() - begun) / 60_000, ...sample });
		}
		await sleep(EVERY_MS, undefined, { signal }).catch(() => undefined);
	}
	return samples;
}

/** What n8n's page of metrics says (Prometheus' text format). */
async function readMemory(url: string): Promise<Omit<Sample, 'minute'>> {
	const answer = await fetchAlone(`${url}/metrics`, {
		headers: { connection: 'close' },
		signal: AbortSignal.timeout(EVERY_MS),
	});
	const text = await answer.text();
	const metric = (name: string): number => {
		const value = new RegExp(`^\\w*${name} (\\S+)$`, 'm').exec(text)?.[1];
		if (value === undefined) throw new Error(`n8n tells no ${name}`);
		return Number(value) / MEGABYTE;
	};
	return {
		resident: metric('process_resident_memory_bytes'),
		heap: metric('nodejs_heap_size_used_bytes'),
	};
}

/** The lowest value of each whole minute: what is left after the minute's garbage collections. */
export function floorOf(
	samples: readonly Sample[],
	value: 'resident' | 'heap',
): Array<[minute: number, megabytes: number]> {
	const floors = new Map<number, number>();
	for (const sample of samples) {
		const minute = Math.floor(sample.minute);
		floors.set(minute, Math.min(floors.get(minute) ?? Infinity, sample[value]));
	}
	return [...floors];
}

/** How fast the floor rises, in megabytes a minute; undefined for fewer than three minutes. */
export function slopeOf(
	samples: readonly Sample[],
	value: 'resident' | 'heap',
): number | undefined {
	const floor = floorOf(samples, value);
	if (floor.length < 3) return undefined;
	const mean = (index: 0 | 1): number =>
		floor.reduce((sum, point) => sum + point[index], 0) / floor.length;
	const [meanMinute, meanValue] = [mean(0), mean(1)];
	const sumOf = (of: (minute: number, megabytes: number) => number): number =>
		floor.reduce(
			(sum, [minute, megabytes]) => sum + of(minute - meanMinute, megabytes - meanValue),
			0,
		);
	return sumOf((minute, megabytes) => minute * megabytes) / sumOf((minute) => minute ** 2);
}
