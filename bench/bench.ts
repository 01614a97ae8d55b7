import { items } from './rows/items';
import { downloads } from './rows/downloads';
import { lists } from './rows/lists';
import { loading } from './rows/loading';
import { triggers } from './rows/triggers';
import { lateness, thousand } from './rows/waiting';
import { openStage, type Stage } from './stage';

/** What is measured, by the name given on the command line. */
const ROWS: Record<string, (stage: Stage) => Promise<void>> = {
	items,
	lists,
	downloads,
	lateness,
	thousand,
	triggers,
};

/** What needs no running n8n. */
const ROWS_WITHOUT_STAGE: Record<string, () => Promise<void>> = { loading };

async function main(): Promise<void> {
	const wanted = process.argv.slice(2);
	const known = [...Object.keys(ROWS_WITHOUT_STAGE), ...Object.keys(ROWS)];
	const unknown = wanted.filter((name) => !known.includes(name));
	if (unknown.length > 0) {
		throw new Error(`There is no row ${unknown.join(', ')}. Rows: ${known.join(', ')}`);
	}
	const isWanted = ([name]: [string, unknown]): boolean =>
		wanted.length === 0 || wanted.includes(name);
	for (const [, row] of Object.entries(ROWS_WITHOUT_STAGE).filter(isWanted)) await row();

	const onStage = Object.entries(ROWS).filter(isWanted);
	if (onStage.length === 0) return;
	const stage = await openStage();
	try {
		for (const [, row] of onStage) await row(stage);
	} finally {
		await stage.close();
	}
}

main().catch((error: unknown) => {
	console.error(error instanceof Error ? error.message : error);
	process.exitCode = 1;
});
