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
 * The rooms of the house, and which others each may import from: imports run one way (docs/develop/house.md). The node files
 * above them may import from all.
 */
const ROOMS = {
	service: [],
	fields: ['service'],
	transport: ['service'],
	execution: ['service', 'fields', 'transport'],
	resources: ['service', 'fields', 'transport', 'execution'],
	triggers: ['service', 'fields', 'transport', 'execution'],
	methods: ['service', 'fields', 'transport', 'execution'],
};

const HOUSE = './nodes/BrowserAutomation';

const zones = Object.entries(ROOMS).map(([room, open]) => ({
	target: `${HOUSE}/${room}`,
	from: HOUSE,
	except: [room, ...open].map((name) => `./${name}`),
	message: `${room}/ imports from ${[...open, 'itself'].join(', ')} only: see docs/develop/house.md.`,
}));

const ONLY_TRANSPORT_SENDS = {
	selector:
		'MemberExpression[property.name=/^(httpRequest|request)/][object.property.name="helpers"], MemberExpression[property.name=/^httpRequest/], Property[key.name=/^httpRequest/]',
	message: 'Only transport/ sends requests: see docs/develop/house.md.',
};

/** An operation is data: what goes through items, pages or retries stands in execution/. */
const AN_OPERATION_IS_DATA = {
	selector:
		':matches(ForStatement, ForOfStatement, ForInStatement, WhileStatement, DoWhileStatement), CallExpression[callee.property.name="send"]',
	message: 'Operations hold no loops and send no requests: see docs/develop/house.md.',
};

/** The rules that n8n checks verified packages with, and this project's own. */
export default tseslint.config(
	globalIgnores(['dist', 'coverage', '**/node_modules']),
	{
		files: ['nodes/**/*.ts', 'credentials/**/*.ts'],
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
		rules: { 'import-x/no-restricted-paths': ['error', { zones }] },
	},
	{
		files: ['nodes/BrowserAutomation/service/**/*.ts'],
		rules: {
			'no-restricted-imports': [
				'error',
				{
					paths: [
						{ name: 'n8n-workflow', message: 'service/ knows no n8n: see docs/develop/house.md.' },
					],
				},
			],
		},
	},
	{
		files: ['nodes/**/*.ts'],
		ignores: ['nodes/BrowserAutomation/transport/**'],
		rules: { 'no-restricted-syntax': ['error', ONLY_TRANSPORT_SENDS] },
	},
	{
		files: ['nodes/BrowserAutomation/resources/**/*.ts'],
		ignores: ['nodes/BrowserAutomation/resources/{catalogue,credentials,operation}.ts'],
		rules: { 'no-restricted-syntax': ['error', ONLY_TRANSPORT_SENDS, AN_OPERATION_IS_DATA] },
	},
	{
		files: ['{sandbox,demo,bench,scale,fuzz,soak,scripts,test}/**/*.ts', 'n8n/*.ts'],
		extends: [eslint.configs.recommended, tseslint.configs.recommended],
		languageOptions: {
			parserOptions: { project: 'tsconfig.dev.json', tsconfigRootDir: import.meta.dirname },
		},
		rules: { ...strictTypeScript, ...typeAware },
	},
);
