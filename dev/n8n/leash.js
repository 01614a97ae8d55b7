/**
 * Runs one command for an owner process and never outlives it: when the owner ends for whatever reason, even killed, the
 * IPC channel closes, and the command goes with everything it started. Forked by leashedProcess.ts.
 *
 * node leash.js COMMAND [ARGUMENT...]
 * to the owner:   { pid } once the command runs, { failed } when it cannot be started
 * from the owner: 'stop' (SIGTERM, then SIGKILL after the grace period), 'kill' (SIGKILL)
 */
const { spawn } = require('node:child_process');

const gracePeriod = 15_000;
const [command, ...commandArguments] = process.argv.slice(2);

const child = spawn(command, commandArguments, {
	detached: true,
	stdio: ['ignore', 'inherit', 'inherit'],
});

function signalGroup(signal) {
	try {
		process.kill(-child.pid, signal);
	} catch (error) {
		if (error.code !== 'ESRCH') throw error;
	}
}

function stop() {
	if (child.pid === undefined) return;
	signalGroup('SIGTERM');
	setTimeout(() => signalGroup('SIGKILL'), gracePeriod).unref();
}

child.once('spawn', () => {
	// An owner that is gone hears nothing; the 'disconnect' that follows ends the command.
	if (process.connected) process.send({ pid: child.pid }, () => {});
});

child.once('error', (error) => {
	if (process.connected) process.send({ failed: error.message }, () => process.exit(127));
	else process.exit(127);
});

child.once('exit', (code, signal) => {
	signalGroup('SIGKILL');
	process.exit(signal === null ? code : 128);
});

process.on('message', (message) => {
	if (message === 'stop') stop();
	if (message === 'kill') signalGroup('SIGKILL');
});

for (const event of ['disconnect', 'SIGTERM', 'SIGINT', 'SIGHUP']) process.on(event, stop);
