const { Script } = require('node:vm');
const { default: JestRuntime } = require('jest-runtime');

/** What this process has compiled, by the names of the files. */
const compiled = new Map();

function scriptOf(filename, head, source) {
	const known = compiled.get(filename);
	if (known?.source === source) return known.script;
	const script = new Script(`${head}${source}\n})`, { filename, columnOffset: -head.length });
	compiled.set(filename, { source, script });
	return script;
}

/**
 * Jest's runtime, but a process compiles each module once. Jest would do so again for each test file, and one that uses n8n-core
 * loads more than two thousand modules. Each test file still has modules of its own, with their own memory.
 */
module.exports = class extends JestRuntime {
	constructor(...parts) {
		super(...parts);
		const { executor } = this;
		const head = `(function (${executor.injectedModuleParameters.join(', ')}) {`;
		executor.compile = (source, filename) => {
			const context = executor.environment.getVmContext();
			return context === null ? null : scriptOf(filename, head, source).runInContext(context);
		};
	}
};
