import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Locator } from 'playwright-core';

import { withProgress } from '../dev/n8n/progress';
import { goFromCanvasToRows } from '../test/editor/newUser';
import {
	chooseBot,
	correctKey,
	enterWrongKey,
	EVERY_FIELD,
	listenToOwnRun,
	openRefusedList,
	openRunBot,
	writeInputAsJson,
} from '../test/editor/scenes';
import { openSetup } from '../test/editor/setup';
import { joinScenes } from './film';

const FOLDER = join(__dirname, '..', 'docs', 'images');

/** The main job, made of pictures of the new user's path: a bot is chosen, its form filled in; the node sleeps, then there are rows. */
async function filmMainJob(): Promise<void> {
	const scenes = [
		{ file: 'path-2-node', seconds: 1.5 },
		{ file: 'path-4-list', seconds: 2 },
		{ file: 'path-5-form', seconds: 2.5 },
		{ file: 'path-6-sleeping', seconds: 3 },
		{ file: 'path-7-rows', seconds: 4 },
	];
	const size = await joinScenes(
		scenes.map(({ file, seconds }) => ({ file: join(FOLDER, `${file}.png`), seconds })),
		join(FOLDER, 'main-job.webp'),
	);
	console.log(`docs/images/main-job.webp: ${Math.round(size / 1_024)} KB`);
}

/** Takes the pictures of the documentation in a real n8n, and tells what the new user's path took. */
async function takePictures(): Promise<void> {
	mkdirSync(FOLDER, { recursive: true });
	const setup = await withProgress(openSetup);
	const { editor } = setup;
	const take = async (name: string, above?: Locator): Promise<void> => {
		await editor.picture(join(FOLDER, `${name}.png`), above);
		console.log(`docs/images/${name}.png`);
	};
	try {
		await setup.openExample('01-run-a-bot-and-get-rows.json');
		await editor.executeWorkflow(3);
		await take('workflow');

		let count = 0;
		const effort = await goFromCanvasToRows(
			setup,
			async (moment) => await take(`path-${++count}-${moment}`),
		);
		const seconds = (effort.duration / 1000).toFixed(1);
		console.log(
			`From the empty canvas to rows: ${effort.clicks} clicks, ${effort.typed} texts, ${seconds} s`,
		);

		await filmMainJob();

		await openRunBot(editor);
		await editor.page.setViewportSize({ width: 1440, height: 1420 });
		await chooseBot(editor, 'Lead Finder', EVERY_FIELD);
		await take('form-every-field');
		await editor.page.setViewportSize({ width: 1440, height: 900 });

		await writeInputAsJson(editor);
		await take('input-json');

		await listenToOwnRun(setup);
		await take('trigger');

		await enterWrongKey(setup);
		await take('credential-refused', editor.page.getByText('Base URL'));
		await editor.closeCredential();
		await openRefusedList(editor);
		await take('list-refused');
		await editor.page.keyboard.press('Tab');
		await correctKey(setup);

		await setup.openExample('05-agent-with-a-bot-as-its-tool.json');
		await editor.executeWorkflow(4);
		await editor.openLogs();
		await take('agent-log');
	} finally {
		await setup.close();
	}
}

takePictures().catch((error: unknown) => {
	console.error(error);
	process.exitCode = 1;
});
