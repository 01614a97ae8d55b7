import sharp from 'sharp';

/** Without the panel that shows a node's input, which is empty in a first step: what remains is as wide as a README. */
const PART = { left: 510, top: 24, width: 906, height: 752 };

/** A picture of the editor, 1440 × 900 pixels, and for how many seconds it is to be seen. */
export interface Scene {
	file: string;
	seconds: number;
}

/**
 * Makes a moving picture of still ones: an animated WebP without loss, so that texts stay sharp, which starts over at its end.
 *
 * @returns its size in bytes
 */
export async function joinScenes(scenes: Scene[], file: string): Promise<number> {
	const frames = await Promise.all(
		scenes.map(async (scene) => await sharp(scene.file).extract(PART).png().toBuffer()),
	);
	const { size } = await sharp(frames, { join: { animated: true } })
		.webp({ lossless: true, loop: 0, delay: scenes.map(({ seconds }) => seconds * 1_000) })
		.toFile(file);
	return size;
}
