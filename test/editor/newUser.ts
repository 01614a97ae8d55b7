import type { Setup } from './setup';

/** One moment of the path, e.g. to take a picture of it. */
export type Moment = 'search' | 'node' | 'credential' | 'list' | 'form' | 'sleeping' | 'rows';

export interface Effort {
	clicks: number;
	/** Texts typed: each field or search counts once. The base URL is one of them, which only the sandbox needs. */
	typed: number;
	/** In milliseconds, with the service's own time for the run. */
	duration: number;
}

/**
 * The path of a new user, from the empty canvas to rows: search, pick, credential, bot, run.
 *
 * @param observe called at each moment, while the editor stands still
 */
export async function goFromCanvasToRows(
	{ editor, sandbox, setCredential }: Setup,
	observe: (moment: Moment) => Promise<void> = async () => undefined,
): Promise<Effort> {
	await setCredential('none');
	await editor.openCanvas();
	const begin = Date.now();
	let observing = 0;
	const at = async (moment: Moment): Promise<void> => {
		const since = Date.now();
		await observe(moment);
		observing += Date.now() - since;
	};

	const found = await editor.searchNodes('scrape');
	await at('search');
	await editor.addAction(found, 'Run bot');
	await at('node');

	await editor.newCredential();
	await editor.fillCredential({ apiKey: sandbox.key });
	const dialog = editor.part('credential-edit-dialog');
	await dialog.getByText('API Key').first().scrollIntoViewIfNeeded();
	await at('credential');
	await editor.fillCredential({ baseUrl: sandbox.url });
	// n8n tests the credential and closes it when the test has passed.
	await editor.saveCredential();
	await dialog.waitFor({ state: 'hidden' });

	await editor.openList('botId');
	await editor.part('rlc-item').first().waitFor();
	await at('list');
	await editor.pickFromList('botId', 'Product Scraper');

	await editor.parameter('keyword').waitFor();
	await editor.fill('keyword', 'desk lamp');
	await at('form');

	await editor.executeStep();
	await editor.page.getByText('The bot is working. This continues by itself.').waitFor();
	await at('sleeping');
	await editor.outputItems(10);
	const duration = Date.now() - begin - observing;
	await at('rows');
	return { clicks: editor.clicks, typed: editor.typed, duration };
}
