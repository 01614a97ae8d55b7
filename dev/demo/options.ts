import { parseArgs } from 'node:util';
import { isN8nVersion, n8nVersions, newestN8n, type N8nVersion } from '../n8n/versions';

export interface DemoOptions {
	/** End after the first workflow instead of staying up. */
	once: boolean;
	/** Build again when a source changes, and have n8n reload the nodes. */
	dev: boolean;
	version: N8nVersion;
	/** The editor's port; a free one where none is given. */
	port: number | undefined;
}

export const usage = `Usage: npm run demo -- [options]

  --once            run the first example workflow, print its rows and end (status 0 only if there were rows)
  --dev             build again when a source changes, and reload the nodes in n8n
  --port PORT       port of n8n's editor (default: a free one)
  --n8n VERSION     ${n8nVersions.join(' or ')} (default: ${newestN8n()})`;

/** Reads the command line. Throws with a message for the user. */
export function readOptions(commandLine: string[]): DemoOptions {
	const { values } = parseArgs({
		args: commandLine,
		options: {
			once: { type: 'boolean', default: false },
			dev: { type: 'boolean', default: false },
			port: { type: 'string' },
			n8n: { type: 'string', default: newestN8n() },
		},
	});
	if (!isN8nVersion(values.n8n)) {
		throw new Error(`There is no n8n ${values.n8n} here. Choose ${n8nVersions.join(' or ')}.`);
	}
	const { once, dev } = values;
	return { once, dev, version: values.n8n, port: readPort(values.port) };
}

function readPort(text: string | undefined): number | undefined {
	if (text === undefined) return undefined;
	const port = Number(text);
	if (!Number.isInteger(port) || port < 1 || port > 65_535) {
		throw new Error(`"${text}" is not a port: a port is a whole number from 1 to 65535.`);
	}
	return port;
}
