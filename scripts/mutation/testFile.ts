import type { JestEnvironment } from '@jest/environment';
import type { TestResult } from '@jest/test-result';
import type { Circus, Config } from '@jest/types';
import type { configureGlobal } from 'fast-check';
import type Runtime from 'jest-runtime';
import { readFileSync } from 'node:fs';
import { performance } from 'node:perf_hooks';

/*
 * Jest's `testRunner` for mutation testing: it loads a test file, hands it over to ./runner.mjs and keeps it loaded, so that its
 * tests can be run once for each mutant. Loading n8n-core takes seconds, most tests milliseconds.
 */

/** What instrumented code reads and writes, as far as it is set here. */
interface MutantState {
	currentTestId?: string | undefined;
}

/** What is shared with ./runner.mjs, in the process's own global object. */
interface Handover {
	mutants: MutantState;
	loaded(file: TestFile): void;
}

interface CircusModule {
	run(): Promise<unknown>;
	getState(): Circus.State;
	addEventHandler(handler: (event: CircusEvent) => void): void;
	[name: string]: unknown;
}

type CircusEvent = Circus.AsyncEvent | Circus.SyncEvent;

/** What came of one test. */
interface Outcome {
	id: string;
	name: string;
	timeSpentMs: number;
	/** For how long this process worked, or had nothing to do; the rest of the time the machine was busy with others. */
	ownMs: number;
	/** Its error, or nothing if it passed. */
	failure: string | undefined;
	isTimeout: boolean;
}

/** What a test may take before its usual time is known, in milliseconds. */
const FIRST_TIME_MS = 30_000;

/** Which tests run is asked of a pattern, for each when its turn comes. */
class Chosen extends RegExp {
	constructor(private readonly isChosen: (name: string) => boolean) {
		super('');
	}

	override test(name: string): boolean {
		return this.isChosen(name);
	}
}

/** A loaded test file. */
class TestFile {
	private readonly usualMs = new Map<Circus.TestEntry, number>();
	private readonly ownMs = new Map<Circus.TestEntry, number>();
	private begun = spent();
	private hasFailed = false;

	constructor(
		private readonly path: string,
		private readonly circus: CircusModule,
		private readonly mutants: MutantState,
	) {
		circus.addEventHandler((event) => this.notice(event));
	}

	/** The IDs of all tests. */
	get ids(): string[] {
		return this.tests.map((test) => this.idOf(test));
	}

	/**
	 * Runs tests up to the first that fails.
	 * @param ids of the tests
	 * @param patience how long a test may take beyond its usual time, in milliseconds
	 */
	async run(ids: string[], patience: number): Promise<Outcome[]> {
		const chosen = new Set(ids);
		const state = this.circus.getState();
		this.hasFailed = false;
		state.unhandledErrors = [];
		state.testNamePattern = new Chosen(
			(name) => !this.hasFailed && chosen.has(this.withPath(name)),
		);
		for (const test of this.tests) {
			test.errors = [];
			test.status = null;
			test.timeout = patience + 4 * (this.usualMs.get(test) ?? FIRST_TIME_MS);
		}
		await this.circus.run();
		return this.tests.filter(({ status }) => status === 'done').map((test) => this.outcomeOf(test));
	}

	/** An error that no test caught belongs to the one that runs. */
	blame(error: unknown): void {
		this.circus.getState().currentlyRunningTest?.errors.push(error);
	}

	private get tests(): Circus.TestEntry[] {
		return testsIn(this.circus.getState().rootDescribeBlock);
	}

	private outcomeOf(test: Circus.TestEntry): Outcome {
		const timeSpentMs = test.duration ?? 0;
		if (!this.usualMs.has(test)) this.usualMs.set(test, timeSpentMs);
		const failure = test.errors.length > 0 ? textOf(test.errors[0]) : undefined;
		return {
			id: this.idOf(test),
			name: nameOf(test),
			timeSpentMs,
			ownMs: this.ownMs.get(test) ?? 0,
			failure,
			isTimeout: failure?.startsWith('Exceeded timeout') === true,
		};
	}

	private notice(event: CircusEvent): void {
		if (event.name === 'test_start') {
			this.mutants.currentTestId = this.idOf(event.test);
			this.begun = spent();
		}
		if (event.name === 'test_skip') this.mutants.currentTestId = undefined;
		if (event.name === 'test_done') {
			this.mutants.currentTestId = undefined;
			this.ownMs.set(event.test, spent() - this.begun);
			if (event.test.errors.length > 0) this.hasFailed = true;
		}
	}

	private idOf(test: Circus.TestEntry): string {
		return this.withPath(nameOf(test));
	}

	private withPath(name: string): string {
		return `${this.path}: ${name}`;
	}
}

/** For how long this process has worked or had nothing to do, in milliseconds. */
function spent(): number {
	const { user, system } = process.cpuUsage();
	return performance.eventLoopUtilization().idle + (user + system) / 1_000;
}

function testsIn(block: Circus.DescribeBlock): Circus.TestEntry[] {
	return block.children.flatMap((child) =>
		child.type === 'describeBlock' ? testsIn(child) : [child],
	);
}

/** As Jest names a test when it asks whether to run it. */
function nameOf(test: Circus.TestEntry): string {
	const names = [test.name];
	for (let block = test.parent; block.parent !== undefined; block = block.parent) {
		names.unshift(String(block.name));
	}
	return names.join(' ');
}

/** Jest notes an error alone, or with another that has its place. */
function textOf(error: unknown): string {
	const first: unknown = Array.isArray(error) ? error[0] : error;
	return first instanceof Object && 'message' in first ? String(first.message) : String(first);
}

/** One random value for which a test fails is enough. fast-check would look for the simplest, with many more. */
function takeFirstFailure(runtime: Runtime, path: string): void {
	if (!readFileSync(path, 'utf8').includes("from 'fast-check'")) return;
	const fastCheck = runtime.requireModule<{ configureGlobal: typeof configureGlobal }>(
		path,
		'fast-check',
	);
	fastCheck.configureGlobal({ endOnFailure: true });
}

export default async function keepLoaded(
	_globalConfig: Config.GlobalConfig,
	_config: Config.ProjectConfig,
	environment: JestEnvironment,
	runtime: Runtime,
	path: string,
): Promise<TestResult> {
	const { mutants, loaded }: Handover = Reflect.get(globalThis, 'mutationTesting');
	const circus = runtime.requireInternalModule<CircusModule>(require.resolve('jest-circus'));
	const { jestExpect: expect } = runtime.requireInternalModule<{ jestExpect: unknown }>(
		require.resolve('@jest/expect'),
	);
	const { describe, it, test, beforeAll, beforeEach, afterAll, afterEach } = circus;
	const forTests = { describe, it, test, beforeAll, beforeEach, afterAll, afterEach, expect };
	Object.assign(environment.global, forTests, { __stryker__: mutants });
	takeFirstFailure(runtime, path);
	runtime.requireModule(path);
	loaded(new TestFile(path, circus, mutants));
	return await new Promise(() => undefined);
}
