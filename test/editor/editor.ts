import {
	chromium,
	selectors,
	type Browser,
	type Locator,
	type Page,
	type Request,
} from 'playwright-core';

import type { demoOwner } from '../../dev/n8n/session';
import { waitUntil } from '../../dev/n8n/waitUntil';
import { attempt } from '../../nodes/BrowserAutomation/service/attempt';

const CHROMIUM = process.env.CHROMIUM ?? '/usr/bin/chromium';

const FLAGS = [
	'--no-sandbox',
	'--disable-gpu',
	'--disable-quic',
	'--no-first-run',
	'--disable-background-networking',
	'--disable-component-update',
	'--disable-sync',
];

/** How long a user waits for n8n to show something, in milliseconds: other tests may keep the machine busy. */
const PATIENCE_MS = 120_000;

/** How long n8n takes at most to do something about what a user asks for, in milliseconds. */
const NOTICE_MS = 30_000;

/** Runs in each page: nothing in it moves. What spins takes a machine without a graphics card as much work as n8n does. */
const KEEP_STILL = `addEventListener('DOMContentLoaded', () => {
	const style = document.createElement('style');
	style.textContent = '*, ::before, ::after { animation: none !important; transition: none !important; }';
	document.head.append(style);
})`;

selectors.setTestIdAttribute('data-test-id');

interface Marked {
	getAttribute(name: string): string | null;
}

interface Label {
	textContent: string | null;
	readonly scrollWidth: number;
	readonly clientWidth: number;
}

/** n8n's editor in a real browser, used as a person uses it. Every click and every typed text counts. */
export class Editor {
	clicks = 0;
	typed = 0;

	private constructor(
		private readonly browser: Browser,
		readonly page: Page,
	) {}

	/**
	 * Opens the browser and logs in.
	 *
	 * @throws when Chromium is not installed, or n8n does not let the owner in
	 */
	static async open(url: string, owner: typeof demoOwner): Promise<Editor> {
		const browser = await chromium.launch({ executablePath: CHROMIUM, args: FLAGS });
		try {
			const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
			context.setDefaultTimeout(PATIENCE_MS);
			await context.addInitScript(KEEP_STILL);
			const page = await context.newPage();
			await page.goto(`${url}/signin`);
			await page.locator('input[name=emailOrLdapLoginId]').fill(owner.email);
			await page.locator('input[name=password]').fill(owner.password);
			await page.getByRole('button', { name: 'Sign in' }).click();
			await page.getByTestId('universal-add').waitFor();
			return new Editor(browser, page);
		} catch (error) {
			await browser.close();
			throw error;
		}
	}

	async close(): Promise<void> {
		await this.browser.close();
	}

	/** What n8n's developers marked with this ID. */
	part(testId: string): Locator {
		return this.page.getByTestId(testId);
	}

	parameter(name: string): Locator {
		return this.part(`parameter-input-${name}`);
	}

	async click(target: Locator): Promise<void> {
		await target.click();
		this.clicks++;
	}

	/** Clicks until it has had its effect: n8n takes no notice of a click while it ends an execution, saves or draws anew. */
	private async clickUntil(target: Locator, effect: () => Promise<unknown>): Promise<void> {
		const click = async (): Promise<true | undefined> => {
			const seen = attempt(effect);
			await target.click();
			return (await seen).ok || undefined;
		};
		const describe = (): string => `A click has no effect: ${String(target)}`;
		await waitUntil(click, { timeout: PATIENCE_MS, describe });
		this.clicks++;
	}

	async type(text: string): Promise<void> {
		await this.page.keyboard.type(text);
		this.typed++;
	}

	/** Opens an empty canvas, and nothing beside it: a hidden page does not move. Does not count: it is where a user begins. */
	async openCanvas(): Promise<void> {
		for (const page of this.page.context().pages()) if (page !== this.page) await page.close();
		await this.goTo('/workflow/new');
		await this.part('canvas-plus-button').waitFor();
		this.clicks = 0;
		this.typed = 0;
	}

	async openWorkflow(workflowId: string): Promise<void> {
		await this.goTo(`/workflow/${workflowId}`);
		await this.part('canvas-node').first().waitFor();
		await this.page.keyboard.press('1');
	}

	/** Goes to a page of the editor by its list of workflows, without loading the editor again: that takes the browser many seconds. */
	private async goTo(page: string): Promise<void> {
		for (const next of ['/home/workflows', page]) await this.route(next);
	}

	/** Has the editor show another of its pages; what was not saved is left. n8n may give a way up while it saves: then again. */
	private async route(page: string): Promise<void> {
		const router = "document.querySelector('#app').__vue_app__.config.globalProperties.$router";
		const leave = this.page.getByRole('button', { name: 'Leave without saving' });
		const [, first = ''] = page.split('/');
		let next = Date.now();
		const isThere = async (): Promise<true | undefined> => {
			if (new URL(this.page.url()).pathname.startsWith(`/${first}/`)) return true;
			if (await leave.isVisible()) await leave.click();
			if (Date.now() < next) return undefined;
			next = Date.now() + NOTICE_MS;
			await this.page.evaluate(`void ${router}.push(${JSON.stringify(page)})`);
			return undefined;
		};
		const describe = (): string => `The editor does not show ${page}`;
		await waitUntil(isThere, { timeout: PATIENCE_MS, describe });
	}

	/** Has n8n execute the workflow that is open, or wait for its trigger. */
	async beginWorkflow(): Promise<void> {
		await this.beginBy(this.page.getByRole('button', { name: 'Execute workflow' }).last());
	}

	/** Executes the workflow that is open, until so many of its nodes have succeeded. */
	async executeWorkflow(nodes: number): Promise<void> {
		await this.beginWorkflow();
		await this.part('canvas-node-status-success')
			.nth(nodes - 1)
			.waitFor();
	}

	/** What a link of the open node leads to. */
	async follow(link: Locator): Promise<Page> {
		const opening = this.page.waitForEvent('popup');
		await link.click();
		return await opening;
	}

	/** Opens the status page from the sleeping node. n8n answers itself, with JSON, until it has stored that it sleeps, and while it is awake: then again. */
	async openStatusPage(): Promise<Page> {
		const page = await this.follow(this.part('output-panel').getByText('Open the status page'));
		for (;;) {
			const shown = page.locator('#page');
			await shown.or(page.locator('pre')).waitFor();
			if (await shown.isVisible()) return page;
			await page.reload();
		}
	}

	async openLogs(): Promise<void> {
		await this.click(this.page.getByText('Logs', { exact: true }));
		await this.part('logs-overview-body').waitFor();
	}

	/** Searches the list of nodes for a first step. */
	async searchNodes(text: string, name = 'Browser Automation'): Promise<Locator> {
		await this.click(this.part('canvas-plus-button'));
		await this.searchFor(text);
		const found = this.part('item-iterator-item').filter({ hasText: name });
		await found.first().waitFor();
		return found;
	}

	/** Adds one of the actions or triggers of the node that was found. */
	async addAction(found: Locator, action: string): Promise<void> {
		await this.click(found.first());
		const choice = this.page.getByText(action, { exact: true });
		const actions = this.page.getByText(/^Actions \(\d+\)/);
		await actions.or(choice).first().waitFor();
		if (!(await choice.isVisible())) await this.click(actions);
		await this.click(choice);
		await this.part('ndv').waitFor();
	}

	/** Adds a node behind an output of another, and opens it; with an action where the node has several. */
	async addBehind(
		previous: string,
		name: string,
		{ action, output = 0 }: { action?: string; output?: number } = {},
	): Promise<void> {
		await this.addAt(`output-handle][data-node-name="${previous}"][data-index="${output}"]`);
		const found = await this.searchFor(name);
		if (action !== undefined) return await this.addAction(found, action);
		await this.click(found.first());
		await this.part('ndv').waitFor();
	}

	/** Adds a model or a tool below a node, and opens it. */
	async addBelow(
		node: string,
		connection: 'ai_languageModel' | 'ai_tool',
		name: string,
	): Promise<void> {
		await this.addAt(`input-handle][data-node-name="${node}"][data-connection-type=${connection}]`);
		await this.click((await this.searchFor(name)).first());
		await this.part('ndv').waitFor();
	}

	async addFirst(name: string): Promise<void> {
		await this.click(this.part('canvas-plus-button'));
		await this.click((await this.searchFor(name)).first());
		await this.part('node-creator').waitFor({ state: 'hidden' });
	}

	/** Begins an empty canvas with what n8n offers there; a search would take it away, which knows other names. */
	async addOffered(name: string): Promise<void> {
		await this.click(this.part('canvas-plus-button'));
		await this.click(this.entry(name).first());
		await this.part('node-creator').waitFor({ state: 'hidden' });
	}

	private async addAt(handle: string): Promise<void> {
		const shown = this.page.locator(`[data-test-id=canvas-node-${handle}`);
		await this.click(shown.getByTestId('canvas-handle-plus'));
	}

	private async searchFor(name: string): Promise<Locator> {
		await this.part('node-creator-search-bar').fill(name);
		this.typed++;
		return this.entry(name);
	}

	/** What the list of nodes has under exactly this name. */
	private entry(name: string): Locator {
		const exactly = this.page.getByText(name, { exact: true });
		return this.part('item-iterator-item').filter({ has: exactly });
	}

	/** Back to the canvas, with all nodes in view. */
	async closeNode(): Promise<void> {
		await this.click(this.part('ndv-close-button'));
		await this.part('ndv').waitFor({ state: 'hidden' });
		await this.page.keyboard.press('1');
	}

	/** Gives the open node another name, under which a model has it as a tool. */
	async renameNode(name: string): Promise<void> {
		const title = this.part('node-title-container');
		await this.click(title.getByTestId('inline-edit-preview'));
		await title.getByTestId('inline-edit-input').fill(name);
		await this.page.keyboard.press('Enter');
		this.typed++;
	}

	async openTab(name: 'Parameters' | 'Settings'): Promise<void> {
		await this.click(this.part('ndv').getByText(name, { exact: true }).first());
	}

	async newCredential(): Promise<void> {
		await this.click(this.page.getByText('Connect to Browser Automation'));
		await this.part('credential-edit-dialog').waitFor();
	}

	async chooseCredential(name: string): Promise<void> {
		await this.click(this.part('node-credentials-select'));
		const items = this.page.locator('[data-test-id^=node-credentials-select-item-]');
		await this.click(items.filter({ hasText: name }));
		await items.first().waitFor({ state: 'hidden' });
	}

	async editCredential(): Promise<void> {
		await this.click(this.part('credential-edit-button'));
		await this.part('credential-edit-dialog').waitFor();
	}

	async fillCredential(fields: Record<string, string>): Promise<void> {
		for (const [name, value] of Object.entries(fields)) {
			const field = this.parameter(name).locator('input');
			await this.click(field);
			await field.fill(value);
			this.typed++;
		}
	}

	/** Saves the credential, which tests it. */
	async saveCredential(): Promise<void> {
		await this.click(this.part('credential-save-button'));
	}

	async closeCredential(): Promise<void> {
		await this.click(this.page.getByRole('button', { name: 'Close this dialog' }));
		await this.part('credential-edit-dialog').waitFor({ state: 'hidden' });
	}

	/** Opens a list; it shows what there is to choose, or why that cannot be read. */
	async openList(name: string): Promise<void> {
		const listed = this.part('rlc-item').or(this.part('rlc-error-container')).first();
		const opens = async (): Promise<void> => await listed.waitFor({ timeout: NOTICE_MS });
		await this.clickUntil(this.part(`resource-locator-${name}`).getByTestId('rlc-input'), opens);
	}

	/** Gives the ID of what a resource locator otherwise offers in a list. */
	async enterId(name: string, id: string): Promise<void> {
		const locator = this.part(`resource-locator-${name}`);
		await this.click(locator.getByTestId('rlc-mode-selector'));
		await this.click(this.page.getByRole('option', { name: 'By ID' }));
		await locator.locator('input').last().fill(id);
		await this.page.keyboard.press('Tab');
		this.typed++;
	}

	/** Picks an entry of a list, which is opened if it is not, and searched if that is wanted; again where n8n closes it as it draws the node anew. */
	async pickFromList(name: string, entry: string, isSearched = false): Promise<void> {
		const entries = this.part('rlc-item');
		const search = this.part('rlc-search')
			.locator('input')
			.or(this.page.locator('input[data-test-id=rlc-search]'));
		const pick = async (): Promise<true | undefined> => {
			if (!(await entries.first().isVisible())) await this.openList(name);
			const picked = attempt(async () => {
				if (isSearched) await search.fill(entry, { timeout: NOTICE_MS });
				await entries.filter({ hasText: entry }).first().click({ timeout: NOTICE_MS });
			});
			return (await picked).ok || undefined;
		};
		const describe = (): string => `The list ${name} has no ${entry}`;
		await waitUntil(pick, { timeout: PATIENCE_MS, describe });
		this.clicks++;
		if (isSearched) this.typed++;
	}

	/** Chooses an option of a parameter; again where n8n closes the list as it draws the node anew. */
	async choose(name: string, option: string): Promise<void> {
		const choice = this.page.getByRole('option', { name: option }).first();
		const shown = this.parameter(name).locator('input').first();
		const pick = async (): Promise<true | undefined> => {
			await attempt(async () => {
				if (!(await choice.isVisible())) await this.parameter(name).click();
				await choice.click({ timeout: NOTICE_MS });
				await choice.waitFor({ state: 'hidden', timeout: NOTICE_MS });
			});
			return (await shown.inputValue()).includes(option) || undefined;
		};
		const describe = (): string => `${name} does not show ${option}`;
		await waitUntil(pick, { timeout: PATIENCE_MS, describe });
		this.clicks += 2;
	}

	/** Waits until the form shows these input fields, in this order, and no others. */
	async formShows(names: string[]): Promise<void> {
		let shown: string[] = [];
		const fields = this.part('mapping-fields-container').locator(
			'[data-test-id^="parameter-input-"]:not([data-test-id="parameter-input-field"])',
		);
		const matches = async (): Promise<true | undefined> => {
			const testIds = await fields.evaluateAll((elements: Marked[]) =>
				elements.map((element) => element.getAttribute('data-test-id') ?? ''),
			);
			shown = testIds.map((testId) => testId.replace('parameter-input-', ''));
			return shown.join() === names.join() || undefined;
		};
		const describe = (): string => `The form shows ${shown.join(', ') || 'no fields'}`;
		await waitUntil(matches, { timeout: PATIENCE_MS, describe });
	}

	/** Takes a picture of what the user sees, without n8n's passing messages. @param above only what is above this */
	async picture(file: string, above?: Locator): Promise<void> {
		const height = (await above?.boundingBox())?.y;
		const width = this.page.viewportSize()?.width ?? 0;
		await this.page.screenshot({
			path: file,
			animations: 'disabled',
			...(height !== undefined && { clip: { x: 0, y: 0, width, height } }),
			style: '.el-notification, [data-test-id=nps-survey-modal] { display: none !important; }',
		});
	}

	async fill(name: string, text: string): Promise<void> {
		const field = this.parameter(name).locator('input, textarea, .cm-content').first();
		await this.click(field);
		await field.fill(text);
		await field.blur();
		this.typed++;
	}

	async fillExpression(name: string, text: string): Promise<void> {
		const field = this.parameter(name);
		await field.hover();
		await this.click(this.beside(field, 'radio-button-expression'));
		const content = field.locator('.cm-content');
		await content.fill(text);
		await content.blur();
		this.typed++;
	}

	private beside(field: Locator, testId: string): Locator {
		const around = field.locator(`xpath=ancestor::*[.//*[@data-test-id="${testId}"]][1]`);
		return around.getByTestId(testId).first();
	}

	async toggle(name: string): Promise<void> {
		await this.click(this.parameter(name).locator('.el-switch'));
	}

	async letModelFill(name: string): Promise<void> {
		const field = this.parameter(name);
		await field.hover();
		await this.click(this.beside(field, 'from-ai-override-button'));
	}

	async addOption(group: string, name: string): Promise<void> {
		const title = this.page.getByText(group, { exact: true });
		const section = this.part('parameter-item').filter({ has: title }).last();
		await this.click(section.getByTestId('collection-parameter-add').first());
		const exactly = this.page.getByText(name, { exact: true });
		await this.click(this.part('collection-parameter-option').filter({ has: exactly }));
	}

	/** Which of these texts n8n would cut in the place of a label that it shows now. */
	async cutLabels(shown: string, texts: string[]): Promise<string[]> {
		const label = this.part('input-label').locator('.n8n-text').getByText(shown, { exact: true });
		return await label.evaluate(
			(element: Label, texts) =>
				texts.filter((text) => {
					element.textContent = text;
					return element.scrollWidth > element.clientWidth;
				}),
			texts,
		);
	}

	/** Executes the open node. */
	async executeStep(): Promise<void> {
		await this.beginBy(this.part('node-execute-button'));
	}

	private async beginBy(button: Locator): Promise<void> {
		const isRun = (request: Request): boolean =>
			request.method() === 'POST' &&
			/^\/rest\/workflows\/[^/]+\/run$/.test(new URL(request.url()).pathname);
		const begins = async (): Promise<Request> =>
			await this.page.waitForRequest(isRun, { timeout: NOTICE_MS });
		await this.clickUntil(button, begins);
	}

	async outputItems(count: number): Promise<Locator> {
		const output = this.part('output-panel');
		await output.getByText(`${count} item${count === 1 ? '' : 's'}`).waitFor();
		await this.part('node-execute-button').getByText('Execute step').waitFor();
		return output;
	}
}
