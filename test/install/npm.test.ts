import { tmpdir } from 'node:os';
import { runInstallStep, withAddresses } from '../../dev/n8n/npm';

it.each([
	['download', 'Check the connection to the npm registry'],
	['compile', 'apt-get install python3 make g++'],
] as const)('a failed %s says what to do, and what npm said', async (purpose, advice) => {
	const step = { arguments: ['ci'], folder: tmpdir(), subject: 'n8n 2.41', purpose };
	await expect(runInstallStep(step)).rejects.toThrow(
		new RegExp(`n8n 2.41 .*${advice.replace(/\+/g, '\\+')}[^]*npm error`),
	);
});

it.each(['https://packages.test/npm', 'https://packages.test/npm/'])(
	'npm is told where in its registry each package of a lock is (%s)',
	async (registry) => {
		process.env.npm_config_registry = registry;
		const entry = { version: '1.2.0', integrity: 'sha512-a' };
		const packages = {
			'': { version: '1.0.0' },
			'node_modules/one': entry,
			'node_modules/one/node_modules/@scope/two': entry,
			'node_modules/alias': { ...entry, name: '@scope/three' },
			'node_modules/own': { ...entry, resolved: 'https://elsewhere.test/own.tgz' },
		};
		const filled: unknown = JSON.parse(await withAddresses(JSON.stringify({ packages }), tmpdir()));
		delete process.env.npm_config_registry;
		const at = (path: string) => ({ ...entry, resolved: `https://packages.test/npm/${path}` });
		expect(filled).toEqual({
			packages: {
				...packages,
				'node_modules/one': at('one/-/one-1.2.0.tgz'),
				'node_modules/one/node_modules/@scope/two': at('@scope/two/-/two-1.2.0.tgz'),
				'node_modules/alias': { name: '@scope/three', ...at('@scope/three/-/three-1.2.0.tgz') },
			},
		});
	},
);
