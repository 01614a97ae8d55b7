import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import type { Profiler } from 'node:inspector';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { waitUntil } from '../../dev/n8n/waitUntil';
import { spreadOf } from './rounds';
import type { Setup } from './setup';

/** Makes n8n profile its main thread when it is told to. */
export class Profiling {
	private readonly folder = mkdtempSync(path.join(tmpdir(), 'profile-'));
	private readonly file = path.join(this.folder, 'profile.json');

	/** What n8n has to be started with. */
	get environment(): Record<string, string> {
		const profiler = path.join(__dirname, 'profiler.js');
		return { NODE_OPTIONS: `--require ${JSON.stringify(profiler)}`, BENCH_PROFILE: this.file };
	}

	/** Profiles n8n during some work. */
	async during(
		{ server }: Pick<Setup, 'server'>,
		work: () => Promise<void>,
	): Promise<TimedProfile> {
		const { pid } = server;
		if (pid === undefined) throw new Error('n8n does not run');
		rmSync(this.file, { force: true });
		process.kill(pid, 'SIGUSR2');
		await work();
		process.kill(pid, 'SIGUSR2');
		await waitUntil(async () => existsSync(this.file) || undefined, {
			timeout: 60_000,
			describe: () => 'n8n wrote no profile',
		});
		const profile: TimedProfile = JSON.parse(readFileSync(this.file, 'utf8'));
		return profile;
	}

	/** Removes what was written. */
	remove(): void {
		rmSync(this.folder, { recursive: true, force: true });
	}
}

/** A profile of V8, whose times are in microseconds. */
export interface TimedProfile {
	profile: Profiler.Profile;
	/** What to add to its times to get microseconds since 1970. */
	epoch: number;
}

/** A span of time, in milliseconds since 1970. */
export interface Span {
	from: number;
	to: number;
}

/** A function on the stack, and the function that called it. */
interface Frame {
	name: string;
	/** Where its code is; empty for V8's own functions. */
	url: string;
	caller: Frame | undefined;
}

/** What the thread does while it does nothing. */
const IDLE = '(idle)';

/**
 * How much of the main thread's time each part took within some spans, in milliseconds. Samples are
 * counted rather than timed: the machine may let the thread wait between two of them.
 */
export function partsIn({ profile, epoch }: TimedProfile, spans: Span[]): Map<string, number> {
	const frames = framesOf(profile);
	const { samples = [], timeDeltas = [], startTime } = profile;
	const each = spreadOf(timeDeltas).median / 1000;
	const parts = new Map<string, number>();
	let now = startTime + epoch;
	for (const [index, sample] of samples.entries()) {
		now += timeDeltas[index] ?? 0;
		const isWanted = spans.some(({ from, to }) => from * 1000 <= now && now <= to * 1000);
		const frame = frames.get(sample);
		if (!isWanted || frame === undefined || frame.name === IDLE) continue;
		const part = partOf(frame);
		parts.set(part, (parts.get(part) ?? 0) + each);
	}
	return parts;
}

function framesOf({ nodes }: Profiler.Profile): Map<number, Frame> {
	const frames = new Map<number, Frame>(
		nodes.map(({ id, callFrame: { functionName, url } }) => [
			id,
			{ name: functionName, url, caller: undefined },
		]),
	);
	for (const { id, children = [] } of nodes) {
		for (const child of children) {
			const frame = frames.get(child);
			if (frame !== undefined) frame.caller = frames.get(id);
		}
	}
	return frames;
}

/** Where Node's own code is, by what it is for. */
const OF_NODE: Array<[RegExp, string]> = [
	[/^node:(net|dns|tls|_http_agent|_tls|internal\/(dns|stream_base|net))/, 'Node: connections'],
	[/^node:(http|_http|internal\/http)/, 'Node: HTTP'],
	[/^node:(stream|internal\/streams)/, 'Node: streams'],
	[/^node:(fs|internal\/fs)/, 'Node: files'],
];

/** Where other code is, by whose it is. */
const OF_PACKAGES: Array<[RegExp, string]> = [
	[/n8n-nodes-browser-automation\/dist\//, 'this package'],
	[/node_modules\/(axios|follow-redirects|form-data|proxy-from-env|qs)\//, 'axios'],
	[/\/(backend-network|request-helpers)\/|credential/, 'n8n: requests'],
	[/node_modules\/(@n8n\/typeorm|sqlite3|tarn|flatted)\//, 'n8n: database'],
];

/** What a sample counts for, by the function that it was taken in and those that called it. */
function partOf(frame: Frame): string {
	if (frame.name === '(garbage collector)') return 'V8: garbage';
	const stack = stackOf(frame);
	if (stack.some(({ name }) => name === '_getNodeParameter')) return 'n8n: parameters';
	const { url: place = '' } = stack.find(({ url }) => url !== '') ?? {};
	const ofNode = OF_NODE.find(([pattern]) => pattern.test(place));
	if (ofNode !== undefined) return ofNode[1];
	const caller = stack.find(({ url }) => url !== '' && !url.startsWith('node:'));
	if (caller === undefined) return 'Node: the rest';
	const [, part = 'n8n: the rest'] =
		OF_PACKAGES.find(([pattern]) => pattern.test(caller.url)) ?? [];
	const readsJson = stack.some(({ name }) => name === 'parseJson');
	return part === 'this package' && readsJson ? `${part}: JSON` : part;
}

/** A frame and its callers, from the inside out. */
function stackOf(frame: Frame): Frame[] {
	const stack: Frame[] = [];
	for (let at: Frame | undefined = frame; at !== undefined; at = at.caller) stack.push(at);
	return stack;
}
