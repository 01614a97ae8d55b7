import { spawnSync } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';

import Table from 'cli-table3';

import { loadDocument } from '../dev/sandbox/document';
import { EVIDENCE_FOLDER, type Evidence, type Proof } from '../test/contract/evidence';
import { COMPOSED, nodeOperations } from '../test/contract/operations';

/*
 * Prints which operations of the service the node offers, and where each was seen to work. What it
 * says is what the tests wrote down: those against the document and the sandbox are run now, those
 * in a real n8n are taken from the last `npm run test:n8n`.
 */

const PROOFS: ReadonlyArray<{ proof: Proof; title: string }> = [
	{ proof: 'contract', title: 'contract' },
	{ proof: 'sandbox', title: 'sandbox' },
	{ proof: 'n8n', title: 'real n8n' },
];

const RUN_NOW = ['test/contract/interface.test.ts', 'test/resources/everyOperation.test.ts'];

function fileOf(proof: Proof): string {
	return join(EVIDENCE_FOLDER, `${proof}.json`);
}

function runTests(): void {
	rmSync(fileOf('contract'), { force: true });
	rmSync(fileOf('sandbox'), { force: true });
	const jest = require.resolve('jest/bin/jest');
	spawnSync(process.execPath, [jest, '--silent', ...RUN_NOW], { stdio: 'inherit' });
}

function readEvidence(proof: Proof): Evidence | undefined {
	try {
		return JSON.parse(readFileSync(fileOf(proof), 'utf8'));
	} catch {
		return undefined;
	}
}

interface DocumentedOperations {
	/** Method and path by the node's name for the operation. */
	documented: Map<string, string[]>;
	/** Names of those that the interface lacks and the public service has. */
	publicNames: Set<string>;
}

async function readDocumented(): Promise<DocumentedOperations> {
	const { offered } = await loadDocument();
	const documented = new Map<string, string[]>();
	const publicNames = new Set<string>();
	for (const operation of offered) {
		const name = String(operation.operationId).split('.').slice(0, 2).join('.');
		const call = `${operation.method.toUpperCase()} ${operation.path}`;
		documented.set(name, [...(documented.get(name) ?? []), call]);
		if ('x-source' in operation && operation['x-source'] === 'public') publicNames.add(name);
	}
	return { documented, publicNames };
}

function describeCalls(name: string, calls: string[] | undefined): string {
	if (calls === undefined) return `made of ${(COMPOSED[name] ?? []).join(', ')}`;
	const [first = '', ...others] = calls;
	return others.length === 0 ? first : `${first} and ${others.length} more methods`;
}

async function main(): Promise<void> {
	runTests();
	const { documented, publicNames } = await readDocumented();
	const evidence = PROOFS.map(({ proof }) => readEvidence(proof));
	const offered = new Set(nodeOperations.map(({ name }) => name));
	const names = [...new Set([...documented.keys(), ...offered])].sort();

	const table = new Table({
		head: ['operation', 'node', ...PROOFS.map(({ title }) => title)],
		style: { head: [], border: [], compact: true },
	});
	let missing = 0;
	for (const name of names) {
		const marks = evidence.map((found) => found?.operations.includes(name) === true);
		missing += offered.has(name) && marks.every(Boolean) ? 0 : 1;
		table.push([
			describeCalls(name, documented.get(name)),
			offered.has(name) ? name : '(missing)',
			...marks.map((mark) => (mark ? 'yes' : 'no')),
		]);
	}
	console.log(table.toString());
	for (const [index, { proof, title }] of PROOFS.entries()) {
		console.log(`${title}: ${evidence[index]?.at ?? `not run yet (${fileOf(proof)})`}`);
	}
	const composed = names.filter((name) => name in COMPOSED).length;
	const fromPublic = names.filter((name) => publicNames.has(name)).length;
	const fromInterface = names.length - composed - fromPublic;
	console.log(
		`${fromInterface} of the interface, ${fromPublic} of the public service, ${composed} made of others.`,
	);
	console.log(`${names.length - missing} of ${names.length} operations were seen everywhere.`);
	if (missing > 0) process.exitCode = 1;
}

void main();
