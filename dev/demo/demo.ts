import { demoOwner } from '../n8n/session';
import { N8nClient, type StoredWorkflow } from '../n8n/client';
import { buildPackage, packPackage, placeOf } from '../n8n/packedPackage';
import { parentOf } from '../n8n/processTree';
import { withProgress } from '../n8n/progress';
import { N8nServer } from '../n8n/server';
import { startSandbox, type Sandbox } from '../sandbox/server';
import { Closing } from './closing';
import { exampleFiles, importExample, setExampleSetup } from './examples';
import { Narration } from './narration';
import { readOptions, usage, type DemoOptions } from './options';
import { RELOADING, reloadOnChange } from './reload';
import { rowsTable } from './table';
import { ExecutionWatch } from './watch';

/** Long enough to see the execution sleep. */
const runTime = 6_000;

const closing = new Closing();
const narration = new Narration();

async function end(status: number): Promise<never> {
	await closing.close();
	process.exit(status);
}

/** Ends on signals, on a closed terminal and on crashes too, and never leaves a process behind. */
function endCleanly(): void {
	const signals = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 };
	for (const [signal, status] of Object.entries(signals)) {
		process.on(signal, () => void end(status));
	}
	for (const crash of ['uncaughtException', 'unhandledRejection']) {
		process.on(crash, (error: unknown) => {
			if (!closing.hasBegun) console.error(error);
			void end(1);
		});
	}
	for (const stream of [process.stdout, process.stderr]) stream.on('error', () => void end(1));
	endWithParent();
}

/** A signal to npm ends npm and its shell, but is not handed on to tsx and this process. */
function endWithParent(): void {
	const ancestors = () => [process.ppid, parentOf(process.ppid)].join();
	const atStart = ancestors();
	setInterval(() => {
		if (ancestors() !== atStart) void end(143);
	}, 500).unref();
}

async function startServer(options: DemoOptions): Promise<N8nServer> {
	narration.headline('Building and packing the package');
	await buildPackage();
	const packed = await packPackage();
	closing.onClose(async () => packed.remove());

	narration.headline(
		`Starting n8n ${options.version} (about a minute; where it is not installed yet, a few minutes more, or 20 on a busy machine)`,
	);
	const server = await withProgress(
		async (report) =>
			await N8nServer.prepare({
				version: options.version,
				packages: [packed],
				editor: true,
				report,
				...(options.dev ? { environment: RELOADING } : {}),
				...(options.port === undefined ? {} : { port: options.port }),
			}),
	);
	closing.onClose(async () => server.remove());
	await server.start();
	if (options.dev) {
		const placed = placeOf(packed.name, server.userFolder);
		const stop = reloadOnChange(placed, (what) => narration.say(what));
		closing.onClose(async () => stop());
	}
	return server;
}

async function startService(): Promise<Sandbox> {
	const sandbox = await startSandbox({ durations: { running: runTime } });
	closing.onClose(async () => sandbox.close());
	return sandbox;
}

/** Runs a workflow to its end and shows its rows. Answers with how many there were. */
async function showWorkflow(
	workflow: StoredWorkflow,
	parties: { client: N8nClient; sandbox: Sandbox },
): Promise<number> {
	narration.headline(`Running "${workflow.definition.name}"`);
	narration.restart();
	const trigger = workflow.definition.nodes.find((node) => node.type.endsWith('.manualTrigger'));
	if (trigger === undefined) throw new Error('The first example has no manual trigger');
	const watch = await ExecutionWatch.begin(parties, narration);
	const executionId = await parties.client.runManually(workflow, { trigger: trigger.name });
	if (executionId === undefined) throw new Error('n8n did not start the workflow');
	narration.say(`Execution ${executionId} was started in n8n`);
	const execution = await watch.untilOver(executionId);
	if (execution.failure !== undefined) {
		console.log([execution.failure.message, execution.failure.description].join('\n'));
	}
	const rows =
		execution.status === 'success' && execution.lastNode !== undefined
			? execution.json(execution.lastNode)
			: [];
	console.log(
		rows.length === 0 ? '\nNo rows came.' : `\n${rowsTable(rows, process.stdout.columns ?? 140)}`,
	);
	return rows.length;
}

async function demonstrate(options: DemoOptions): Promise<void> {
	const server = await startServer(options);
	const sandbox = await startService();
	const client = await N8nClient.signIn(server.url);
	const setup = await setExampleSetup(client, sandbox);
	closing.onClose(async () => await setup.close());
	const workflows: StoredWorkflow[] = [];
	// n8n lists the newest workflow first.
	for (const file of exampleFiles(options.version).reverse()) {
		workflows.push(await importExample(client, file, setup.credentials));
	}
	const first = workflows.at(-1);
	if (first === undefined) throw new Error('There are no example workflows');
	const rowCount = await showWorkflow(first, { client, sandbox });
	if (options.once) await end(rowCount > 0 ? 0 : 1);

	narration.headline(
		[
			`n8n's editor:  ${server.url}/home/workflows`,
			`Log in with:   ${demoOwner.email}   ${demoOwner.password}`,
			`You find:      ${workflows.length} example workflows. Open one: its note says what to press.`,
			`The service:   ${sandbox.url}   API key ${sandbox.key}`,
			'',
			'Press Ctrl+C to end.',
		].join('\n'),
	);
}

function readOptionsOrEnd(): DemoOptions {
	try {
		return readOptions(process.argv.slice(2));
	} catch (error) {
		console.error(`${error instanceof Error ? error.message : String(error)}\n\n${usage}`);
		return process.exit(2);
	}
}

endCleanly();
demonstrate(readOptionsOrEnd()).catch(async (error: unknown) => {
	if (!closing.hasBegun) console.error(error instanceof Error ? `\n${error.message}` : error);
	await end(1);
});
