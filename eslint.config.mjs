import eslint from '@eslint/js';
import { n8nCommunityNodesPlugin } from '@n8n/eslint-plugin-community-nodes';
import n8nNodesBase from 'eslint-plugin-n8n-nodes-base';
import { globalIgnores } from 'eslint/config';
import tseslint from 'typescript-eslint';

const strictTypeScript = {
	'@typescript-eslint/no-explicit-any': 'error',
	'@typescript-eslint/no-non-null-assertion': 'error',
	'@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
};

/** Imports run one way: node files -> resources -> execution -> service. */
function mayNotImport(folder, ...forbidden) {
	return {
		files: [`nodes/BrowserAutomation/${folder}/**/*.ts`],
		rules: {
			'no-restricted-imports': [
				'error',
				{
					patterns: [
						{ regex: forbidden.join('|'), message: 'Imports run one way: see docs/house.md.' },
					],
				},
			],
		},
	};
}

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
		rules: { ...strictTypeScript, 'no-console': 'error' },
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
		ignores: ['nodes/BrowserAutomation/transport/**'],
		rules: {
			'no-restricted-syntax': [
				'error',
				{
					selector:
						'MemberExpression[property.name=/^(httpRequest|request)/][object.property.name="helpers"], MemberExpression[property.name=/^httpRequest/], Property[key.name=/^httpRequest/]',
					message: 'Only transport/ sends requests: see docs/house.md.',
				},
			],
		},
	},
	mayNotImport('service', 'n8n-workflow', '/execution/', '/resources/', '/methods/', 'fields$'),
	mayNotImport('execution', '/resources/', '/methods/', 'fields$', '\\.node$'),
	mayNotImport('resources', '/methods/', '\\.node$'),
	{
		files: ['{sandbox,demo,bench,scripts,test}/**/*.ts', 'n8n/*.ts'],
		extends: [eslint.configs.recommended, tseslint.configs.recommended],
		rules: strictTypeScript,
	},
);
