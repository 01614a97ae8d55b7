/**
 * For EXTERNAL_HOOK_FILES: n8n writes late what it has read of an execution that it resumes. Where the folder LATE_WRITES
 * has a file named by its ID, the process that resumes it next moves that to `ID.held`, and writes when it is gone.
 */
const { existsSync, renameSync } = require('node:fs');
const { createRequire } = require('node:module');
const { join } = require('node:path');
const { setTimeout } = require('node:timers/promises');

const fromN8n = createRequire(process.argv[1]);
const { prototype } = fromN8n('../dist/executions/execution-persistence').ExecutionPersistence;
const write = prototype.updateExistingExecution;

prototype.updateExistingExecution = async function (executionId, execution, conditions) {
	const file = join(process.env.LATE_WRITES, executionId);
	if (conditions?.requireStatus === 'waiting' && existsSync(file)) {
		renameSync(file, `${file}.held`);
		while (existsSync(`${file}.held`)) await setTimeout(100);
	}
	return await write.call(this, executionId, execution, conditions);
};

module.exports = {};
