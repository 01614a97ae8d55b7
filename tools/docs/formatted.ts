import path from 'node:path';

import { format, resolveConfig } from 'prettier';

import { PROJECT } from './markdown';

/** A file as Prettier writes it in this repository. @param file from the top of the repository */
export async function formatted(file: string, text: string): Promise<string> {
	const config = await resolveConfig(path.join(PROJECT, file));
	return await format(text, { ...config, filepath: file });
}
