import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export const EVIDENCE_FOLDER = join(__dirname, '../../coverage/interface');

/** Where an operation was seen to work. */
export type Proof = 'contract' | 'sandbox' | 'n8n';

/** What a run of the tests has seen. */
export interface Evidence {
	/** When, as ISO-8601. */
	at: string;
	/** The operations of the node that were seen to work, e.g. `bot.run`. */
	operations: string[];
}

/** Notes which operations a test has just seen working, for `npm run coverage:interface`. */
export function recordEvidence(proof: Proof, operations: string[]): void {
	const evidence: Evidence = { at: new Date().toISOString(), operations: operations.sort() };
	mkdirSync(EVIDENCE_FOLDER, { recursive: true });
	const file = join(EVIDENCE_FOLDER, `${proof}.json`);
	writeFileSync(file, `${JSON.stringify(evidence, null, '\t')}\n`);
}
