import { execFile } from 'node:child_process';
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { BoundedLog } from './boundedLog';
import { startLeashed, type LeashedProcess } from './leashedProcess';
import { freePort, isListening } from './ports';
import { waitUntil } from './waitUntil';

const run = promisify(execFile);
const startLimit = 30_000;
const MAX_ROWS_BYTES = 64 * 1024 ** 2;

/** A data service that n8n's queue mode needs, with temporary data. */
export interface DataService {
	/** n8n's environment variables that lead to it. */
	environment: Record<string, string>;
	/** Stops it as an administrator does, and starts it again with its data. */
	restart(): Promise<void>;
	/** Ends it and deletes its data. */
	remove(): Promise<void>;
}

/** A PostgreSQL that can be asked. */
export interface Postgres extends DataService {
	/** Carries out SQL as the database's owner; answers with the rows, each value as text. */
	query(sql: string): Promise<string[][]>;
}

/**
 * Starts a Redis of its own. Throws when redis-server is not installed.
 *
 * @param durable whether it keeps a log of what it is told, as in production, so that its data outlive a restart
 */
export async function startRedis(durable: boolean): Promise<DataService> {
	const port = await freePort();
	const folder = mkdtempSync(path.join(tmpdir(), 'redis-'));
	const log = new BoundedLog(path.join(folder, 'redis.log'));
	const start = async (): Promise<LeashedProcess> => {
		const started = await startLeashed({
			name: 'redis-server',
			executable: 'redis-server',
			arguments: [
				...['--port', String(port), '--bind', '127.0.0.1', '--dir', folder],
				...['--save', '', '--appendonly', durable ? 'yes' : 'no'],
			],
			environment: process.env,
			folder,
			onOutput: (chunk) => log.write(chunk),
		}).catch((error: unknown) => {
			throw new Error(
				'Redis could not be started. Install it (Debian, Ubuntu: apt-get install redis-server).',
				{ cause: error },
			);
		});
		await waitUntil(async () => (await isListening(port)) || undefined, {
			timeout: startLimit,
			describe: () => `Redis did not start:\n${log.tail()}`,
		});
		return started;
	};
	let redis = await start();
	return {
		environment: { QUEUE_BULL_REDIS_HOST: '127.0.0.1', QUEUE_BULL_REDIS_PORT: String(port) },
		restart: async () => {
			await redis.stop();
			redis = await start();
		},
		remove: async () => {
			await redis.stop();
			rmSync(folder, { recursive: true, force: true });
		},
	};
}

/** Starts a PostgreSQL of its own. Throws when it is not installed. @param durable whether it waits for the disk */
export async function startPostgres(durable: boolean): Promise<Postgres> {
	const binaries = await findPostgres();
	const port = await freePort();
	const folder = mkdtempSync(path.join(tmpdir(), 'postgres-'));
	const asUser = await unprivilegedPrefix(folder);
	const data = path.join(folder, 'data');

	function command(program: string, programArguments: string[]): [string, string[]] {
		const [first, ...rest] = [...asUser, path.join(binaries, program), ...programArguments];
		if (first === undefined) throw new Error('No command');
		return [first, rest];
	}
	await run(
		...command('initdb', ['-D', data, '-U', 'n8n', '--auth=trust', '-E', 'UTF8', '--no-sync']),
		{ cwd: folder },
	);
	const [executable, postgresArguments] = command('postgres', [
		...['-D', data, '-p', String(port), '-k', folder],
		...['-c', 'listen_addresses=127.0.0.1', '-c', `fsync=${durable ? 'on' : 'off'}`],
	]);
	const log = new BoundedLog(path.join(folder, 'postgres.log'));
	const address = ['-h', '127.0.0.1', '-p', String(port), '-U', 'n8n'];
	const start = async (): Promise<LeashedProcess> => {
		const started = await startLeashed({
			name: 'PostgreSQL',
			executable,
			arguments: postgresArguments,
			environment: process.env,
			folder,
			onOutput: (chunk) => log.write(chunk),
		});
		await waitUntil(
			async () =>
				await run(path.join(binaries, 'pg_isready'), address).then(
					() => true,
					() => undefined,
				),
			{ timeout: startLimit, describe: () => `PostgreSQL did not start:\n${log.tail()}` },
		);
		return started;
	};
	let postgres = await start();
	return {
		environment: {
			DB_TYPE: 'postgresdb',
			DB_POSTGRESDB_HOST: '127.0.0.1',
			DB_POSTGRESDB_PORT: String(port),
			DB_POSTGRESDB_USER: 'n8n',
			DB_POSTGRESDB_DATABASE: 'postgres',
		},
		query: async (sql) => {
			const { stdout } = await run(
				path.join(binaries, 'psql'),
				[...address, '-d', 'postgres', '-X', '-q', '-A', '-t', '-F', '\t', '-c', sql],
				{ maxBuffer: MAX_ROWS_BYTES },
			);
			return stdout
				.split('\n')
				.filter((line) => line !== '')
				.map((line) => line.split('\t'));
		},
		restart: async () => {
			// Asked to end by a signal alone, it would wait for n8n to close its connections.
			await run(...command('pg_ctl', ['stop', '-D', data, '-m', 'fast']), { cwd: folder });
			await postgres.ended;
			postgres = await start();
		},
		remove: async () => {
			await postgres.stop();
			rmSync(folder, { recursive: true, force: true });
		},
	};
}

/** The folder of PostgreSQL's programs: Debian keeps them off PATH, one folder for each version. */
async function findPostgres(): Promise<string> {
	const versions = '/usr/lib/postgresql';
	if (existsSync(versions)) {
		const newest = readdirSync(versions)
			.map(Number)
			.sort((a, b) => b - a)[0];
		if (newest !== undefined) return path.join(versions, String(newest), 'bin');
	}
	try {
		return (await run('pg_config', ['--bindir'])).stdout.trim();
	} catch (error) {
		throw new Error(
			'PostgreSQL was not found. Install it (Debian, Ubuntu: apt-get install postgresql).',
			{ cause: error },
		);
	}
}

/** PostgreSQL refuses to run as root: then the folder is given to the user `postgres`, and commands run as that user. */
async function unprivilegedPrefix(folder: string): Promise<string[]> {
	if (process.getuid?.() !== 0) return [];
	const { stdout } = await run('id', ['-u', 'postgres']);
	const user = Number(stdout);
	chownSync(folder, user, user);
	return ['setpriv', '--reuid=postgres', '--regid=postgres', '--init-groups', '--'];
}
