import { items } from './rows/items';
import { downloads } from './rows/downloads';
import { lists } from './rows/lists';
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

async function main(): Promise<void> {
	const wanted = process.argv.slice(2);
	const unknown = wanted.filter((name) => !(name in ROWS));
	if (unknown.length > 0) {
		throw new Error(`There is no row ${unknown.join(', ')}. Rows: ${Object.keys(ROWS).join(', ')}`);
	}
	const stage = await openStage();
	try {
		for (const [name, row] of Object.entries(ROWS)) {
			if (wanted.length === 0 || wanted.includes(name)) await row(stage);
		}
	} finally {
		await stage.close();
	}
}

main().catch((error: unknown) => {
	console.error(error instanceof Error ? error.message : error);
	process.exitCode = 1;
});
