/**
 * Profiles the process into which it is loaded (NODE_OPTIONS=--require) where that is n8n itself: from one SIGUSR2 to the
 * next, whose profile it writes to the file BENCH_PROFILE, with what to add to its times to get microseconds since 1970.
 */
const { renameSync, writeFileSync } = require('node:fs');
const { Session } = require('node:inspector');
const path = require('node:path');

const INTERVAL_US = 200;
const file = process.env.BENCH_PROFILE;

let session;

function start() {
	session = new Session();
	session.connect();
	session.post('Profiler.enable');
	session.post('Profiler.setSamplingInterval', { interval: INTERVAL_US });
	session.post('Profiler.start');
}

function stop() {
	const epoch = Date.now() * 1000 - Number(process.hrtime.bigint() / 1000n);
	session.post('Profiler.stop', (error, answer) => {
		if (error) throw error;
		// A file that is there is whole.
		writeFileSync(`${file}.part`, JSON.stringify({ ...answer, epoch }));
		renameSync(`${file}.part`, file);
	});
	session.disconnect();
	session = undefined;
}

if (file !== undefined && path.basename(process.argv[1] ?? '') === 'n8n') {
	process.on('SIGUSR2', () => (session === undefined ? start() : stop()));
}
