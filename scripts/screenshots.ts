import { mkdirSync } from 'node:fs';
import { join } from 'node:path';

import { ProgressDisplay } from '../n8n/progress';
import { goFromCanvasToRows } from '../test/editor/newUser';
import {
	chooseBot,
	correctKey,
	enterWrongKey,
	EVERY_FIELD,
	listenToOwnRun,
	openRefusedList,
	openRunBot,
} from '../test/editor/scenes';
import { openStage } from '../test/editor/stage';

const FOLDER = join(__dirname, '..', 'docs', 'images');

/** Takes the pictures of the documentation in a real n8n, and tells what the new user's path took. */
async function takePictures(): Promise<void> {
	mkdirSync(FOLDER, { recursive: true });
	const display = new ProgressDisplay();
	const stage = await openStage(display.report).finally(() => display.end());
	const { editor } = stage;
	const take = async (name: string): Promise<void> => {
		await editor.picture(join(FOLDER, `${name}.png`));
		console.log(`docs/images/${name}.png`);
	};
	try {
		await stage.openExample('01-run-a-bot-and-get-rows.json');
		await editor.executeWorkflow(3);
		await take('workflow');

		let count = 0;
		const effort = await goFromCanvasToRows(
			stage,
			async (moment) => await take(`path-${++count}-${moment}`),
		);
		const seconds = (effort.duration / 1000).toFixed(1);
		console.log(
			`From the empty canvas to rows: ${effort.clicks} clicks, ${effort.typed} texts, ${seconds} s`,
		);

		await openRunBot(editor);
		await editor.page.setViewportSize({ width: 1440, height: 1420 });
		await chooseBot(editor, 'Lead Finder', EVERY_FIELD);
		await take('form-every-field');
		await editor.page.setViewportSize({ width: 1440, height: 900 });

		await listenToOwnRun(stage);
		await take('trigger');

		await enterWrongKey(stage);
		await take('credential-refused');
		await editor.closeCredential();
		await openRefusedList(editor);
		await take('list-refused');
		await editor.page.keyboard.press('Tab');
		await correctKey(stage);
		await take('credential-accepted');
	} finally {
		await stage.close();
	}
}

takePictures().catch((error: unknown) => {
	console.error(error);
	process.exitCode = 1;
});
