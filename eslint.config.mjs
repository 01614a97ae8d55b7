import { readdirSync } from 'node:fs';
import eslint from '@eslint/js';
import { n8nCommunityNodesPlugin } from '@n8n/eslint-plugin-community-nodes';
import n8nNodesBase from 'eslint-plugin-n8n-nodes-base';
import * as importX from 'eslint-plugin-import-x';
import { globalIgnores } from 'eslint/config';
import tseslint from 'typescript-eslint';

/** What only the types show: a promise that nobody waits for, and the use of a value of which nothing is known. */
const typeAware = {
	'@typescript-eslint/await-thenable': 'error',
	'@typescript-eslint/no-floating-promises': 'error',
	'@typescript-eslint/no-misused-promises': 'error',
	'@typescript-eslint/no-unsafe-call': 'error',
	'@typescript-eslint/no-unsafe-member-access': 'error',
};

/** In the package, such values are not even handed on. Beside it they are: Jest's matchers and JSON.parse give them. */
const nothingUnsafe = {
	...typeAware,
	'@typescript-eslint/no-unsafe-argument': 'error',
	'@typescript-eslint/no-unsafe-assignment': 'error',
	'@typescript-eslint/no-unsafe-return': 'error',
};

const strictTypeScript = {
	'@typescript-eslint/no-explicit-any': 'error',
	'@typescript-eslint/no-non-null-assertion': 'error',
	'@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
};

/**
 * The modules, and which others each may import from: imports run one way (docs/develop/architecture.md). The node files
 * above them may import from all.
 */
const MODULES = {
	service: [],
	fields: ['service'],
	transport: ['service'],
	execution: ['service', 'fields', 'transport'],
	resources: ['service', 'fields', 'transport', 'execution'],
	triggers: ['service', 'fields', 'transport', 'execution'],
	methods: ['service', 'fields', 'transport', 'execution'],
};

const NODE = './nodes/BrowserAutomation';

const zones = Object.entries(MODULES).map(([name, open]) => ({
	target: `${NODE}/${name}`,
	from: NODE,
	except: [name, ...open].map((module) => `./${module}`),
	message: `${name}/ imports from ${[...open, 'itself'].join(', ')} only: see docs/develop/architecture.md.`,
}));

const WAITING = `${NODE}/execution/waiting`;

/** The files of waiting by level: the ledger and n8n; what decides; what acts for one pass; suspending and resuming; the page and what opens a pass; the two entrances. */
const WAITING_LEVELS = [
	['batch/{ledger,records,runErrors,waves}', 'platform', 'schedule', 'secret'],
	['batch/{pass,takeUp,waitMethod}', 'nextStep'],
	['batch/{budget,newLedger,outcomes,start}', 'steps'],
	[
		'suspension/{claim,resumeCall,slotQueue,staleWrites,suspend,suspension,suspensions,watcher}',
		'fence',
	],
	['statusPage/{index,page,script,style,view}', 'openPass'],
	['executeRuns', 'handleRequest'],
].map((level) => level.flatMap(filesOf));

/** `a/{b,c}` as `a/b.ts` and `a/c.ts`. */
function filesOf(path) {
	const [before, names] = path.split(/[{}]/);
	return (names ?? '').split(',').map((name) => `${before}${name}.ts`);
}

const unplaced = readdirSync(WAITING, { recursive: true }).filter(
	(file) => file.endsWith('.ts') && !WAITING_LEVELS.flat().includes(file),
);
if (unplaced.length > 0)
	throw new Error(`Give these a level in WAITING_LEVELS: ${unplaced.join()}`);

const waitingZones = WAITING_LEVELS.map((level, index) => ({
	target: level.map((file) => `${WAITING}/${file}`),
	from: WAITING,
	except: WAITING_LEVELS.slice(0, index + 1)
		.flat()
		.map((file) => `./${file}`),
	message:
		'execution/waiting/ imports from its own level or those below: see docs/develop/architecture.md.',
}));

/** Of the service's runs, waiting knows what it would need of any service's, and nothing of what a user fills in. */
const waitingBoundary = [
	{ target: WAITING, from: `${NODE}/service/runs`, except: ['./runs.ts'] },
	{ target: WAITING, from: `${NODE}/fields` },
].map((zone) => ({
	...zone,
	message:
		'execution/waiting/ knows runs by service/runs/runs.ts, and no fields: see docs/develop/architecture.md.',
}));

/** A refusal of what one of the selectors finds. */
function refused(message, ...selectors) {
	return {
		selector: selectors.join(', '),
		message: `${message}: see docs/develop/architecture.md.`,
	};
}

/** Members of that name: read, taken out of an object, or named by a text. */
function named(pattern) {
	return [
		`MemberExpression[property.name=${pattern}]`,
		`Property[key.name=${pattern}]`,
		`Literal[value=${pattern}]`,
		`TemplateElement[value.raw=${pattern}]`,
	];
}

/** n8n's helpers are only ever `helpers.NAME` or `context.helpers.NAME`, so that the name shows what they do. */
const ONLY_TRANSPORT_SENDS = refused(
	'Only transport/ sends requests',
	...named('/^httpRequest/'),
	'MemberExpression[object.property.name="helpers"][property.name=/^request/]',
	'MemberExpression[object.name="helpers"][property.name=/^request/]',
	'MemberExpression[computed=true][object.property.name="helpers"]',
	'MemberExpression[computed=true][object.name="helpers"]',
	':not(MemberExpression) > MemberExpression[property.name="helpers"]',
	':not(MemberExpression, Property, TSPropertySignature) > Identifier[name="helpers"]',
	'ObjectExpression > Property[key.name="helpers"]',
	'Property[key.name="helpers"][shorthand=false]',
	'Literal[value="helpers"]',
	'TemplateElement[value.raw="helpers"]',
);

/**
 * An operation is data: what goes through items, pages or retries stands in execution/. So it gets values only from
 * where nothing sends by itself.
 */
const AN_OPERATION_IS_DATA = refused(
	'Operations hold no loops, wait for nothing and send no requests',
	'ImportDeclaration[importKind="value"]:not([source.value=/\\b(operation|runApi)$/])',
	':matches(ForStatement, ForOfStatement, ForInStatement, WhileStatement, DoWhileStatement)',
	':function[async=true]',
	'Identifier[name="Promise"]',
	'UnaryExpression[operator="void"]',
	'CallExpression[callee.computed=true]',
	...named('/^(send|client|then)$/'),
);

/** n8n types them by Express, whose types a package of nodes does not have. */
const EXPRESS_IN_ONE_PLACE = refused(
	'Express’s request and response are read in execution/webhook.ts alone',
	...named('/^get(Request|Response)Object$/'),
);

/** What n8n keeps, and for whom, differs by who carries the node out. */
const NOTES_IN_ONE_PLACE = refused(
	'What is noted with an execution is read in execution/host.ts alone',
	...named('/^getContext$/'),
);

const NO_DYNAMIC_IMPORT = refused('Imports stand at the top of a file', 'ImportExpression');

function syntax(...refusals) {
	return { 'no-restricted-syntax': ['error', ...refusals] };
}

/** Only these packages, each by its name alone, and the package's own files. */
function imports(packages, message) {
	const regex = `^(?!\\.{1,2}/|(?:${packages.join('|')})$)|node_modules`;
	return {
		'no-restricted-imports': [
			'error',
			{ patterns: [{ regex, message: `${message}: see docs/develop/architecture.md.` }] },
		],
	};
}

/** The rules that n8n checks verified packages with, and this project's own. */
export default tseslint.config(
	globalIgnores(['dist', 'coverage', '**/node_modules']),
	{
		files: ['nodes/**/*.ts', 'credentials/**/*.ts'],
		// No comment switches a rule off.
		linterOptions: { noInlineConfig: true },
		extends: [
			eslint.configs.recommended,
			tseslint.configs.recommended,
			n8nCommunityNodesPlugin.configs.recommended,
		],
		languageOptions: {
			parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname },
		},
		rules: { ...strictTypeScript, ...nothingUnsafe, 'no-console': 'error' },
	},
	{ plugins: { 'n8n-nodes-base': n8nNodesBase } },
	{
		files: ['package.json'],
		extends: [n8nCommunityNodesPlugin.configs.recommended],
		rules: n8nNodesBase.configs.community.rules,
		languageOptions: {
			parser: tseslint.parser,
			parserOptions: { extraFileExtensions: ['.json'] },
		},
	},
	{
		files: ['credentials/**/*.ts'],
		rules: {
			...n8nNodesBase.configs.credentials.rules,
			'n8n-nodes-base/cred-class-field-documentation-url-miscased': 'off',
			'n8n-nodes-base/cred-class-field-type-options-password-missing': 'off',
		},
	},
	{
		files: ['nodes/**/*.ts'],
		rules: {
			...n8nNodesBase.configs.nodes.rules,
			'n8n-nodes-base/node-class-description-inputs-wrong-regular-node': 'off',
			'n8n-nodes-base/node-class-description-outputs-wrong': 'off',
			'n8n-nodes-base/node-param-type-options-max-value-present': 'off',
		},
	},
	{
		files: ['nodes/**/*.ts'],
		plugins: { 'import-x': importX },
		settings: { 'import-x/resolver-next': [importX.createNodeResolver({ extensions: ['.ts'] })] },
		rules: {
			'import-x/no-restricted-paths': [
				'error',
				{ zones: [...zones, ...waitingZones, ...waitingBoundary] },
			],
		},
	},
	{
		files: ['nodes/**/*.ts', 'credentials/**/*.ts'],
		rules: {
			'no-restricted-globals': [
				'error',
				...['fetch', 'XMLHttpRequest', 'WebSocket', 'EventSource', 'module'],
			],
			...imports(['n8n-workflow', 'crypto', 'luxon'], 'The package imports n8n-workflow alone'),
		},
	},
	{
		files: ['nodes/BrowserAutomation/service/**/*.ts'],
		rules: imports(['crypto', 'luxon'], 'service/ knows no n8n'),
	},
	{
		files: ['nodes/**/*.ts', 'credentials/**/*.ts'],
		rules: syntax(
			NO_DYNAMIC_IMPORT,
			EXPRESS_IN_ONE_PLACE,
			NOTES_IN_ONE_PLACE,
			ONLY_TRANSPORT_SENDS,
		),
	},
	{
		files: ['nodes/BrowserAutomation/transport/**/*.ts'],
		rules: syntax(NO_DYNAMIC_IMPORT, EXPRESS_IN_ONE_PLACE, NOTES_IN_ONE_PLACE),
	},
	{
		files: ['nodes/BrowserAutomation/execution/webhook.ts'],
		rules: syntax(NO_DYNAMIC_IMPORT, NOTES_IN_ONE_PLACE, ONLY_TRANSPORT_SENDS),
	},
	{
		files: ['nodes/BrowserAutomation/execution/host.ts'],
		rules: syntax(NO_DYNAMIC_IMPORT, EXPRESS_IN_ONE_PLACE, ONLY_TRANSPORT_SENDS),
	},
	{
		files: ['nodes/BrowserAutomation/resources/**/*.ts'],
		ignores: ['nodes/BrowserAutomation/resources/{catalogue,operation}.ts'],
		rules: syntax(
			NO_DYNAMIC_IMPORT,
			EXPRESS_IN_ONE_PLACE,
			NOTES_IN_ONE_PLACE,
			ONLY_TRANSPORT_SENDS,
			AN_OPERATION_IS_DATA,
		),
	},
	{
		files: ['nodes/**/*.ts', 'credentials/**/*.ts'],
		ignores: ['nodes/BrowserAutomation/transport/**'],
		rules: {
			'@typescript-eslint/consistent-type-assertions': ['error', { assertionStyle: 'never' }],
		},
	},
	{
		files: ['{dev,test,tools}/**/*.ts'],
		extends: [eslint.configs.recommended, tseslint.configs.recommended],
		languageOptions: {
			parserOptions: { project: 'tsconfig.dev.json', tsconfigRootDir: import.meta.dirname },
		},
		rules: { ...strictTypeScript, ...typeAware },
	},
	{
		files: ['{dev,test}/{n8n,sandbox,editor}/**/*.ts'],
		ignores: ['test/sandbox/**'],
		rules: {
			'no-restricted-globals': [
				'error',
				{ name: 'fetch', message: 'A connection to n8n is not shared: fetchAlone' },
			],
		},
	},
);
