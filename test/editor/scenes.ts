import type { Locator } from 'playwright-core';

import type { Editor } from './editor';
import type { Setup } from './setup';

export async function openRunBot(editor: Editor): Promise<void> {
	await editor.openCanvas();
	await editor.addAction(await editor.searchNodes('scrape'), 'Run bot');
}

/** Makes a credential with a wrong key; its test has failed when this returns. */
export async function enterWrongKey({ editor, sandbox, setCredential }: Setup): Promise<void> {
	await setCredential('none');
	await openRunBot(editor);
	await editor.newCredential();
	await editor.fillCredential({ baseUrl: sandbox.url, apiKey: 'wrong-key' });
	await editor.saveCredential();
	await editor.page.getByText('Couldn’t connect with these settings').waitFor();
	await editor.part('credential-save-button').getByText('Save').waitFor();
}

/** Opens the list of bots with a credential that does not work; answers with what the list says. */
export async function openRefusedList(editor: Editor): Promise<string> {
	await editor.openList('botId');
	const reason = editor.page.getByText(/The service does not accept the API key/);
	await reason.waitFor();
	return (await reason.textContent()) ?? '';
}

/** Corrects the key; the credential's test has passed when this returns. */
export async function correctKey({ editor, sandbox }: Setup): Promise<void> {
	await editor.editCredential();
	await editor.fillCredential({ apiKey: sandbox.key });
	await editor.saveCredential();
	await editor.page.getByText('Connection tested successfully').waitFor();
}

export async function chooseBot(editor: Editor, name: string, fields: string[]): Promise<void> {
	await editor.pickFromList('botId', name, true);
	await editor.formShows(fields);
}

export const PRODUCT_FIELDS = ['keyword', 'url', 'max_results', 'currency'];

/**
 * Fills in the form of a bot, then chooses to give its input as JSON.
 *
 * @returns what the editor shows as an example of the JSON
 */
export async function writeInputAsJson(editor: Editor): Promise<Locator> {
	await openRunBot(editor);
	await chooseBot(editor, 'Product Scraper', PRODUCT_FIELDS);
	await editor.fill('keyword', 'desk lamp');
	await editor.choose('inputMode', 'Using JSON');
	const example = editor.part('empty-fields-notice');
	await example.getByText('"keyword": "desk lamp"').waitFor();
	return example;
}

/** Adds the trigger, lets it start a bot of its own and listens until the bot's run has ended. */
export async function listenToOwnRun({ editor }: Setup): Promise<void> {
	await editor.openCanvas();
	await editor.addAction(await editor.searchNodes('scrape'), 'On finished');
	await editor.choose('source', 'A Run That This Trigger Starts');
	await editor.pickFromList('botId', 'Product Scraper');
	await editor.formShows(PRODUCT_FIELDS);
	await editor.fill('keyword', 'desk lamp');
	await editor.fill('max_results', '3');
	await editor.executeStep();
	await editor.outputItems(1);
}

/** The input fields of the Lead Finder, which has one of every kind. */
export const EVERY_FIELD = [
	'industry',
	'max_leads',
	'min_score',
	'verified_only',
	'company_size',
	'active_since',
	'founded_after',
	'report_to',
	'job_titles',
	'location',
	'budget',
];
