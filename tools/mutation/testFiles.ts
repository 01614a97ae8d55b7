import type { JestEnvironment } from '@jest/environment';
import type { TestResult } from '@jest/test-result';
import type { Circus, Config } from '@jest/types';
import type Runtime from 'jest-runtime';
import { performance } from 'node:perf_hooks';

/*
 * Jest's `testRunner` for mutation testing: it loads test files, hands them over to ./runner.mjs and keeps them loaded, so that
 * their tests can be run once for each mutant. Loading n8n-core takes seconds, most tests milliseconds; so files that may share
 * their modules are loaded together.
 */

/** What instrumented code reads and writes, as far as it is set here. */
interface MutantState {
	currentTestId?: string | undefined;
}

/** What is shared with ./runner.mjs, in the process's own global object. */
interface Handover {
	mutants: MutantState;
	/** The test files, which mock the same modules. Jest itself is told of the first alone. */
	paths: string[];
	loaded(files: TestFiles): void;
}

interface CircusModule {
	describe(title: string, define: () => void): void;
	run(): Promise<unknown>;
	getState(): Circus.State;
	addEventHandler(handler: (event: CircusEvent) => void): void;
	[name: string]: unknown;
}

type CircusEvent = Circus.AsyncEvent | Circus.SyncEvent;

/** What came of one test. */
interface Outcome {
	id: string;
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
	constructor(private readonly isChosen: (id: string) => boolean) {
		super('');
	}

	override test(id: string): boolean {
		return this.isChosen(id);
	}
}

/** Loaded test files, each a `describe` block with its path. */
class TestFiles {
	private readonly usualMs = new Map<Circus.TestEntry, number>();
	private readonly ownMs = new Map<Circus.TestEntry, number>();
	private begun = spent();
	private hasFailed = false;

	constructor(
		private readonly circus: CircusModule,
		private readonly mutants: MutantState,
	) {
		circus.addEventHandler((event) => this.notice(event));
	}

	/** The IDs of all tests of a file. */
	idsIn(path: string): string[] {
		return this.tests.map(idOf).filter((id) => id.startsWith(titleOf(path)));
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
		state.testNamePattern = new Chosen((id) => !this.hasFailed && chosen.has(id));
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
			id: idOf(test),
			timeSpentMs,
			ownMs: this.ownMs.get(test) ?? 0,
			failure,
			isTimeout: failure?.startsWith('Exceeded timeout') === true,
		};
	}

	private notice(event: CircusEvent): void {
		if (event.name === 'test_start') {
			this.mutants.currentTestId = idOf(event.test);
			this.begun = spent();
		}
		if (event.name === 'test_skip') this.mutants.currentTestId = undefined;
		if (event.name === 'test_done') {
			this.mutants.currentTestId = undefined;
			this.ownMs.set(event.test, spent() - this.begun);
			if (event.test.errors.length > 0) this.hasFailed = true;
		}
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

/** The title of the block with a file's tests. */
function titleOf(path: string): string {
	return `${path}:`;
}

/** As Jest names a test when it asks whether to run it: its file, the blocks it is in, and its own title. */
function idOf(test: Circus.TestEntry): string {
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

export default async function keepLoaded(
	_globalConfig: Config.GlobalConfig,
	_config: Config.ProjectConfig,
	environment: JestEnvironment,
	runtime: Runtime,
): Promise<TestResult> {
	const { mutants, paths, loaded }: Handover = Reflect.get(globalThis, 'mutationTesting');
	const circus = runtime.requireInternalModule<CircusModule>(require.resolve('jest-circus'));
	const { jestExpect: expect } = runtime.requireInternalModule<{ jestExpect: unknown }>(
		require.resolve('@jest/expect'),
	);
	const { describe, it, test, beforeAll, beforeEach, afterAll, afterEach } = circus;
	const forTests = { describe, it, test, beforeAll, beforeEach, afterAll, afterEach, expect };
	Object.assign(environment.global, forTests, { __stryker__: mutants });
	for (const path of paths) {
		describe(titleOf(path), () => void runtime.requireModule(path));
	}
	loaded(new TestFiles(circus, mutants));
	return await new Promise(() => undefined);
}
