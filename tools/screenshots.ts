import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Locator } from 'playwright-core';
import sharp from 'sharp';

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

const FOLDER = join(__dirname, '..', 'docs', 'images');

/** Without the panel that shows a node's input, which is empty in a first step: what remains is as wide as a README. */
const PART = { left: 510, top: 24, width: 906, height: 752 };

/** The pictures of the new user's path (1440 × 900 pixels) that show the main job, and how long each is seen, in milliseconds. */
const SCENES = {
	'path-2-node': 1_500,
	'path-4-list': 2_000,
	'path-5-form': 2_500,
	'path-6-sleeping': 3_000,
	'path-7-rows': 4_000,
};

/** The main job as an animated WebP without loss, so that texts stay sharp, which starts over at its end. */
async function filmMainJob(): Promise<void> {
	const pictures = Object.keys(SCENES).map((name) => sharp(join(FOLDER, `${name}.png`)));
	const frames = await Promise.all(
		pictures.map(async (picture) => await picture.extract(PART).png().toBuffer()),
	);
	const { size } = await sharp(frames, { join: { animated: true } })
		.webp({ lossless: true, loop: 0, delay: Object.values(SCENES) })
		.toFile(join(FOLDER, 'main-job.webp'));
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
