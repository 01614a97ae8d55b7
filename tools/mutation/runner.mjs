import { declareClassPlugin, PluginKind } from '@stryker-mutator/api/plugin';
import { DryRunStatus, MutantRunStatus, TestStatus } from '@stryker-mutator/api/test-runner';
import { runCLI } from 'jest';
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { Worker } from 'node:worker_threads';

/*
 * Stryker's plugins for mutation testing (docs/develop/testing.md); tools/mutation/mutation.ts says by the environment variables
 * MUTATION_TESTS, MUTATED, MUTATION_RESULTS and MUTATION_LEFT_OUT which tests to run, which files are tried, where results go, and
 * where the tests are named that are left out.
 */

/** Longer than this no test gets, however busy the machine is (milliseconds). */
const MAX_PATIENCE_MS = 200_000;

/** How long a test may take that takes no time without a mutant (milliseconds). */
const PATIENCE_MS = 8_000;

/** Where ./watchdog.mjs leaves the ID of a mutant that worked without end: in Stryker's copy of the sources, where tests run. */
const ENDLESS = 'endless-mutant';

/** Where the dry run leaves the IDs of tests that take longer than SLOW_MS; in the same place. */
const SLOW_TESTS = 'slow-tests';
const SLOW_MS = 500;

/** How often the watchdog hears that this process is not stuck (milliseconds). */
const BEAT_MS = 500;

/**
 * Keeps test files loaded (./testFiles.ts). What a mutant leaves behind could make later ones fail, so a failure only counts if
 * the same test passes again without the mutant; if not, the process starts anew and the mutant with it.
 * @implements {import('@stryker-mutator/api/test-runner').TestRunner}
 */
class ResidentRunner {
	/** What instrumented code reads and writes. */
	mutants = { mutantCoverage: { static: {}, perTest: {} } };
	/** What is loaded, by the path of each file. */
	loaded = new Map();
	running;
	tried = 0;
	spoilt = false;

	capabilities() {
		return { reloadEnvironment: false };
	}

	init() {
		process.env.NODE_ENV = 'test';
		process.on('uncaughtException', (error) => this.running?.blame(error));
		const watchdog = new Worker(new URL('watchdog.mjs', import.meta.url), {
			workerData: { endless: join(process.cwd(), ENDLESS) },
		});
		this.beat = () => watchdog.postMessage(this.mutants.activeMutant);
		setInterval(this.beat, BEAT_MS);
		return Promise.resolve();
	}

	/** Runs all tests twice: for what each reaches, and to leave out those that fail without a mutant or when run again. */
	async dryRun() {
		const tests = [];
		for (const path of testPaths()) {
			for (const test of await this.reliableTests(path)) tests.push({ ...test, fileName: path });
		}
		const slow = tests.filter(({ timeSpentMs }) => timeSpentMs > SLOW_MS).map(({ id }) => id);
		writeFileSync(SLOW_TESTS, JSON.stringify(slow));
		return {
			status: DryRunStatus.Complete,
			tests: tests.map(({ id, fileName, timeSpentMs }) => ({
				id,
				name: id,
				fileName,
				timeSpentMs,
				status: TestStatus.Success,
			})),
			mutantCoverage: this.mutants.mutantCoverage,
		};
	}

	async reliableTests(path) {
		let ids = (await this.load(path)).idsIn(path);
		for (;;) {
			const outcomes = await this.run(path, ids);
			const failed = [...outcomes, ...(await this.run(path, ids))].find(({ failure }) => failure);
			if (failed === undefined) return outcomes;
			noteLeftOut(`${relative(process.cwd(), failed.id)}: ${failed.failure}`);
			ids = ids.filter((id) => id !== failed.id);
			delete this.mutants.mutantCoverage.perTest[failed.id];
		}
	}

	async mutantRun({ activeMutant, testFilter = [], hitLimit = Infinity }) {
		if (existsSync(ENDLESS) && readFileSync(ENDLESS, 'utf8') === activeMutant.id) {
			return { status: MutantRunStatus.Timeout, reason: 'It worked without end.' };
		}
		if (this.spoilt) throw new Error('An earlier mutant has left something behind.');
		const isFirst = this.tried++ === 0;
		let nrOfTests = 0;
		for (const { path, ids } of quickFirst(testFilter, activeMutant.fileName)) {
			await this.load(path);
			Object.assign(this.mutants, { activeMutant: activeMutant.id, hitCount: 0, hitLimit });
			this.beat();
			const outcomes = await this.run(path, ids);
			delete this.mutants.activeMutant;
			this.beat();
			nrOfTests += outcomes.length;

			const isEndless = this.mutants.hitCount > hitLimit;
			const failed = outcomes.find(({ failure }) => failure);
			if (failed === undefined && !isEndless) continue;
			if (failed !== undefined) {
				const [again] = await this.run(path, [failed.id]);
				this.spoilt = again.failure !== undefined;
				if (this.spoilt && !isFirst) throw new Error('An earlier mutant may have caused this.');
			}
			if (isEndless || failed.isTimeout)
				return { status: MutantRunStatus.Timeout, reason: failed?.failure };
			const { id, failure: failureMessage } = failed;
			return { status: MutantRunStatus.Killed, killedBy: [id], failureMessage, nrOfTests };
		}
		return { status: MutantRunStatus.Survived, nrOfTests };
	}

	/** Tests whose time is up on a busy machine get more of it. */
	async run(path, ids, patience = PATIENCE_MS) {
		this.running = await this.load(path);
		const outcomes = await this.running.run(ids, patience);
		const isStarved = outcomes.some((test) => test.isTimeout && test.ownMs < patience / 2);
		return isStarved && patience < MAX_PATIENCE_MS
			? await this.run(path, ids, 3 * patience)
			: outcomes;
	}

	/** Starts a Jest that loads a file, with all that mock the same, and stays. */
	async load(path) {
		const known = this.loaded.get(path);
		if (known !== undefined) return known;
		const mocks = mocksOf(path);
		const paths = testPaths().filter((other) => mocksOf(other) === mocks);
		const files = await new Promise((resolve, reject) => {
			globalThis.mutationTesting = { mutants: this.mutants, paths, loaded: resolve };
			runCLI(
				{
					config: 'tools/mutation/jest.config.js',
					runTestsByPath: true,
					_: [path],
					runInBand: true,
					silent: true,
				},
				[process.cwd()],
			).then(({ results }) => reject(new Error(results.testResults[0]?.failureMessage)), reject);
		});
		for (const together of paths) this.loaded.set(together, files);
		return files;
	}
}

/** How a test file replaces modules, wherever in the folders it is. Jest does so for all that it loads together. */
function mocksOf(path) {
	const mocks = readFileSync(path, 'utf8').match(/^jest\.mock\([^;]*;/gm) ?? [];
	return mocks.map((mock) => mock.replace(/\s|\.\.\/|,(?=\s*\))/g, '')).join('');
}

/** The test files for what is mutated, by their full paths. */
function testPaths() {
	return process.env.MUTATION_TESTS.split(',').map((path) => join(process.cwd(), path));
}

/** For mutation.ts to show: what this process prints, Stryker keeps to itself. */
function noteLeftOut(test) {
	appendFileSync(process.env.MUTATION_LEFT_OUT, `${test}\n`);
}

/** Tests by their files: slow ones last, and before them those of the mutated file's own, which find most. */
function quickFirst(ids, fileName) {
	const slow = new Set(JSON.parse(readFileSync(SLOW_TESTS, 'utf8')));
	const own = `/${basename(fileName, '.ts')}.test.ts`;
	const paths = testPaths().sort((a, b) => Number(b.endsWith(own)) - Number(a.endsWith(own)));
	return [false, true]
		.flatMap((isSlow) =>
			paths.map((path) => ({
				path,
				ids: ids.filter((id) => id.startsWith(`${path}: `) && slow.has(id) === isSlow),
			})),
		)
		.filter((group) => group.ids.length > 0);
}

/**
 * Writes down each result at once, so that nothing is lost when a run is cut off.
 * @implements {import('@stryker-mutator/api/report').Reporter}
 */
class ResultWriter {
	onMutantTested({ fileName, status, mutatorName, replacement, location }) {
		const source = relative(process.cwd(), fileName);
		// Stryker also reports again what it knows of files that were tried with the same tests earlier.
		if (!process.env.MUTATED.split(',').includes(source)) return;
		const file = relative('nodes/BrowserAutomation', source);
		const path = join(process.env.MUTATION_RESULTS, file.replace(/\.ts$/, '.jsonl'));
		mkdirSync(dirname(path), { recursive: true });
		appendFileSync(path, `${JSON.stringify({ status, mutatorName, replacement, location })}\n`);
	}
}

export const strykerPlugins = [
	declareClassPlugin(PluginKind.TestRunner, 'resident', ResidentRunner),
	declareClassPlugin(PluginKind.Reporter, 'writer', ResultWriter),
];
