import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

/**
 * Reads GitHub's workflows as GitHub does, and lists what it would refuse: unknown keys, expressions and contexts that are
 * not there, jobs that need others which do not exist. Exit status 1 when there is something.
 */
const FOLDER = path.join(__dirname, '../../.github/workflows');

async function main(): Promise<void> {
	const { convertWorkflowTemplate, NoOperationTraceWriter, parseWorkflow } =
		await import('@actions/workflow-parser');
	for (const name of readdirSync(FOLDER)) {
		const content = readFileSync(path.join(FOLDER, name), 'utf8');
		const { context, value } = parseWorkflow({ name, content }, new NoOperationTraceWriter());
		if (value !== undefined) await convertWorkflowTemplate(context, value);
		for (const { message } of context.errors.getErrors()) {
			console.error(message);
			process.exitCode = 1;
		}
	}
}

void main();
