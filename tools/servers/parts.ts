import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';

import type { Versions } from './add';

const CONTEXTS = 'dist/execution-engine/node-execution-context';

/** A file of n8n that the package relies on beyond the documented interface, and for what. */
export interface Part {
	package: keyof Versions;
	file: string;
	what: string;
}

/** What execution/waiting/platform.ts and the triggers look for, where n8n 2.41 has it. */
export const PARTS: readonly Part[] = [
	part(
		'n8n-core',
		'dist/execution-engine/workflow-execute.js',
		'the stack, and what resumes a node',
	),
	part('n8n-core', `${CONTEXTS}/base-execute-context.js`, 'putExecutionToWait'),
	part('n8n-core', `${CONTEXTS}/execute-context.js`, 'isToolExecution'),
	part('n8n-core', `${CONTEXTS}/node-execution-context.js`, 'the stack entry, workflow settings'),
	part('n8n-core', `${CONTEXTS}/webhook-context.js`, 'what a callback’s handler is given'),
	part('n8n-core', `${CONTEXTS}/poll-context.js`, 'what a poll is given'),
	part('n8n-core', `${CONTEXTS}/utils/get-additional-keys.js`, 'resumeUrl'),
	part('n8n-workflow', 'dist/cjs/node-helpers.js', 'what a node keeps with its execution'),
	part('n8n-workflow', 'dist/cjs/workflow-data-proxy.js', '$execution, $runIndex'),
	part('n8n', 'dist/webhooks/waiting-webhooks.js', 'how callbacks reach a sleeping execution'),
	part('n8n', 'dist/webhooks/webhook-helpers.js', 'how an execution is resumed, once'),
	part('n8n', 'dist/wait-tracker.js', 'n8n’s clock'),
	part('n8n', 'dist/active-executions.js', 'which executions are awake'),
];

function part(name: keyof Versions, file: string, what: string): Part {
	return { package: name, file, what };
}

/**
 * What became of the parts from one n8n to another, a line each, and the lines that differ as git shows them.
 *
 * @param before a folder that holds a folder for each package, `n8n`, `n8n-core` and `n8n-workflow`; likewise `after`
 */
export function changesBetween(
	before: string,
	after: string,
	parts: readonly Part[] = PARTS,
): { summary: string[]; differences: string } {
	const changes = parts.map(({ package: name, file, what }) => {
		const [old, now] = [before, after].map((folder) => path.join(folder, name, file));
		const difference = differenceOf(old ?? '', now ?? '');
		return { line: `${name}/${file} (${what}): ${difference.said}`, text: difference.text };
	});
	return {
		summary: changes.map(({ line }) => line),
		differences: changes.map(({ text }) => text).join(''),
	};
}

function differenceOf(before: string, after: string): { said: string; text: string } {
	if (!existsSync(after)) return { said: 'GONE', text: '' };
	if (!existsSync(before)) return { said: 'new', text: '' };
	const { stdout: text } = spawnSync(
		'git',
		['diff', '--no-index', '--no-color', '--ignore-all-space', before, after],
		{ encoding: 'utf8' },
	);
	const count = (sign: string): number =>
		text.split('\n').filter((line) => line.startsWith(sign) && !line.startsWith(sign.repeat(3)))
			.length;
	return { said: text === '' ? 'the same' : `+${count('+')} -${count('-')} lines`, text };
}
