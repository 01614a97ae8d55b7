import { tmpdir } from 'node:os';
import { runInstallStep } from '../../dev/n8n/npm';

it.each([
	['download', 'Check the connection to the npm registry'],
	['compile', 'apt-get install python3 make g++'],
] as const)('a failed %s says what to do, and what npm said', async (purpose, advice) => {
	const step = { arguments: ['ci'], folder: tmpdir(), subject: 'n8n 2.41', purpose };
	await expect(runInstallStep(step)).rejects.toThrow(
		new RegExp(`n8n 2.41 .*${advice.replace(/\+/g, '\\+')}[^]*npm error`),
	);
});
