import 'reflect-metadata';

import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { NodeHelpers, type INode, type INodeParameters, type INodeType } from 'n8n-workflow';

import { parse } from 'yaml';

import manifest from '../../package.json';
import { parseJson } from '../../nodes/BrowserAutomation/service/json/json';
import { codeBlocksOf, inlineCodeOf, isThere, linksOf, PAGES, read, ROOT } from './markdown';
import { NODES } from './ownTypes';

/** The documentation is right about what can be checked: its links, its code, the names that it quotes. */

const blocks = PAGES.flatMap(codeBlocksOf);
const blocksOf = (wanted: string) => blocks.filter(({ language }) => language === wanted);

describe.each(PAGES)('%s', (page) => {
	const links = linksOf(page);

	it('has links that lead to files and headings that are there, or out of the repository over https', () => {
		const wrong = links.filter((link) =>
			/^[a-z]+:/.test(link) ? !link.startsWith('https:') : !isThere(link, page),
		);
		expect(wrong).toEqual([]);
	});

	it('names scripts, tests and files that are there', () => {
		const unknown = inlineCodeOf(page).filter((code) => !isCommand(code) || !isPresent(code));
		expect(unknown).toEqual([]);
		const tests = [...read(page).matchAll(/(?<![\w./-])test\/[\w./]+\.ts\b/g)].map(
			([path]) => path,
		);
		expect(tests.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
	});
});

it('every page of docs/ can be reached from its contents', () => {
	const reached = new Set(['docs/README.md']);
	for (const page of reached) {
		for (const link of linksOf(page)) {
			const [file = ''] = link.split('#');
			const target = join(page, '..', file);
			if (PAGES.includes(target)) reached.add(target);
		}
	}
	expect(PAGES.filter((page) => page.startsWith('docs/') && !reached.has(page))).toEqual([]);
});

interface ComposeService {
	image?: string;
	depends_on?: object;
	volumes?: string[];
	ports?: string[];
	stop_grace_period?: string;
}

function servicesIn(code: string) {
	const file: { services: Record<string, ComposeService>; volumes: Record<string, unknown> } =
		parse(code, { merge: true });
	return { ...file, services: Object.entries(file.services) };
}

/** Programs that a reader is told to use, beside npm and npx. */
const PROGRAMS = ['git', 'gh', 'curl', 'docker'];

/** Whether a line of a shell is right: its scripts and programs are there. Lines that are none pass. */
function isCommand(line: string): boolean {
	return line.split(/ (?:&&|\|) /).every((command) => {
		const [program, ...words] = command.split(' ');
		const [first = '', second = ''] = words.filter((word) => !word.startsWith('-'));
		if (program === 'npx') return existsSync(join(ROOT, 'node_modules/.bin', first));
		if (program !== 'npm') return true;
		const script = first === 'run' ? second : first === 'test' ? 'test' : undefined;
		return script === undefined || script === '' || script in manifest.scripts;
	});
}

/** Where a page may leave out the beginning of a path. */
const PLACES = ['', 'nodes/BrowserAutomation', 'test/execution/waiting', 'test/triggers'];

/** Whether a file of code is there that is named by its path, or by its name alone where its folder is plain. */
function isPresent(code: string): boolean {
	const [path = ''] = code.split(' ');
	if (!/^(?:\.\/)?[\w./]+\.(?:ts|mjs|yaml)$/.test(path)) return true;
	return PLACES.some((place) => existsSync(join(ROOT, place, path)));
}

describe('blocks of code', () => {
	it('are of languages that are checked here, or tried elsewhere', () => {
		const languages = ['', 'diff', 'dockerfile', 'json', 'mermaid', 'nginx', 'sh', 'sql', 'yaml'];
		expect([...new Set(blocks.map(({ language }) => language))].sort()).toEqual(languages);
	});

	it.each(blocksOf('sh'))('of the shell in $page are commands there are: $code', ({ code }) => {
		execFileSync('bash', ['-n'], { input: code });
		for (const line of code.split('\n')) {
			const [program = ''] = line.split(' ');
			const isSetting = /^[A-Z][A-Z0-9_]*=\S+$/.test(line);
			const isKnown = isSetting || ['npm', 'npx', ...PROGRAMS].includes(program);
			expect([line, isKnown && isCommand(line)]).toEqual([line, true]);
		}
	});

	it.each(blocksOf('json'))('of JSON in $page are read, and n8n takes their nodes', ({ code }) => {
		const { nodes = [] }: { nodes?: INode[] } = Object(parseJson(code));
		for (const node of nodes) expect([node.name, ...faultsOf(node)]).toEqual([node.name]);
	});

	it.each(blocksOf('yaml'))('of YAML in $page name services of their own', ({ page, code }) => {
		const { services, volumes } = servicesIn(code);
		const names = services.map(([name]) => name);
		const named = services.flatMap(([, service]) => Object.keys(service.depends_on ?? {}));
		expect(named.filter((name) => !names.includes(name))).toEqual([]);
		const mounted = services.flatMap(([, service]) => service.volumes ?? []);
		expect(mounted.map((mount) => mount.split(':')[0])).toEqual(Object.keys(volumes));
		const ofN8n = services.filter(([, { image }]) => image?.startsWith('n8n-') === true);
		// n8n waits up to 30 s for its executions; Docker would kill it after 10.
		const graces = ofN8n.map(([, service]) => Number.parseInt(service.stop_grace_period ?? '10'));
		expect(graces.filter((seconds) => seconds < 40)).toEqual([]);
		expect(read(page)).toContain(`docker build -t ${ofN8n[0]?.[1].image} .`);
	});

	it('of the proxy lead to the ports that the compose file gives main and the webhook processes', () => {
		const [proxy, compose] = ['nginx', 'yaml'].map((wanted) => blocksOf(wanted)[0]);
		const hooks = /^upstream webhooks \{(.*)\}$/m.exec(proxy?.code ?? '');
		const main = /location \/ \{ proxy_pass http:\/\/(\S+);/.exec(proxy?.code ?? '');
		const published = (prefix: string): string[] =>
			servicesIn(compose?.code ?? '')
				.services.filter(([name]) => name.startsWith(prefix))
				.flatMap(([, { ports = [] }]) => ports.map((port) => port.replace(/:\d+$/, '')));
		expect(hooks?.[1]?.match(/[\d.]+:\d+/g)).toEqual(published('webhook'));
		expect([main?.[1]]).toEqual(published('main'));
	});
});

const NODE_TYPES: Record<string, INodeType> = Object.fromEntries(
	NODES.map((type) => [`${manifest.name}.${type.description.name}`, type]),
);

/** What n8n would not take of a node of ours: unknown types and parameters, values that are no choice. */
function faultsOf(node: INode): string[] {
	const type = NODE_TYPES[node.type];
	if (type === undefined) return node.type.startsWith('n8n-nodes-base.') ? [] : [node.type];
	const { description } = type;
	const { properties } = description;
	const known: INodeParameters =
		NodeHelpers.getNodeParameters(properties, node.parameters, true, false, node, description) ??
		{};
	const unknown = Object.keys(node.parameters).filter((name) => !(name in known));
	const issues = NodeHelpers.getNodeParametersIssues(properties, node, description);
	const shown = properties.filter((property) =>
		NodeHelpers.displayParameter(known, property, node, description),
	);
	const noChoices = shown
		.filter(({ name, type }) => type === 'options' && name in node.parameters)
		.filter(({ name, options = [] }) =>
			options.every((option) => !('value' in option) || option.value !== node.parameters[name]),
		);
	return [
		...unknown,
		...Object.values(issues?.parameters ?? {}).flat(),
		...noChoices.map(({ name }) => name),
	];
}

describe('what pages quote of the node', () => {
	const page = read('docs/use/troubleshooting.md');
	const [, logged = ''] = /own lines:\n\n([^]*?)\n\n/.exec(read('docs/run/queue-mode.md')) ?? [];
	const quoted = [
		...[...page.matchAll(/^- [^"]*?\*\*[^"]*"([^"]+)"/gm)],
		...[...logged.matchAll(/`([^`]+)`/g)],
	].flatMap(([, text = '']) => text.split('…').filter((part) => part.trim().length > 3));

	it.each(quoted)('it says: %s', (text) => {
		const pattern = text.trim().replace(/[:;]$/, '');
		expect(() =>
			execFileSync('git', ['grep', '-qF', '--untracked', pattern, '--', 'nodes'], { cwd: ROOT }),
		).not.toThrow();
	});
});

it('what is made of the code is current (npm run docs)', () => {
	const tsx = join(ROOT, 'node_modules/.bin/tsx');
	const stale = (): string =>
		execFileSync(tsx, ['tools/docs.ts', 'check'], { cwd: ROOT, encoding: 'utf8' });
	expect(stale).not.toThrow();
});
