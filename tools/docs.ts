import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import type { FunctionsBase, INodeProperties } from 'n8n-workflow';
import { format, resolveConfig } from 'prettier';

import { loadDocument } from '../dev/sandbox/document';
import { deleted, forwarded, list, runFiles } from '../nodes/BrowserAutomation/execution/handlers';
import { chosenValue, type Field } from '../nodes/BrowserAutomation/fields/field';
import { toProperties } from '../nodes/BrowserAutomation/fields/fieldBuilders';
import { outputField } from '../nodes/BrowserAutomation/fields/output';
import { returnAllField } from '../nodes/BrowserAutomation/fields/requests';
import { CALLBACK_TRIGGER_FIELDS, POLLING } from '../nodes/BrowserAutomation/fields/triggers';
import { catalogue } from '../nodes/BrowserAutomation/resources/catalogue';
import type { Operation } from '../nodes/BrowserAutomation/resources/operation';
import { EXPLANATIONS, explain } from '../nodes/BrowserAutomation/service/http/errorCodes';
import { COMPOSED } from '../test/contract/operations';
import { CONVERTER, converterExample } from './docs/converter';

const PAGE = path.join(__dirname, '../docs/reference/README.md');

/**
 * Writes what is made of the code: parts of the reference, and the example that moves workflows over. With `check` it writes
 * nothing, and ends with the status 1 where that is not current.
 */
async function main([step]: string[]): Promise<void> {
	const operations = await operationList();
	const parts = { operations, options: optionList(), codes: codeTable() };
	const made = [
		[PAGE, await withParts(readFileSync(PAGE, 'utf8'), parts)],
		[CONVERTER, await converterExample()],
	] as const;
	for (const [file, text] of made) {
		if (readFileSync(file, 'utf8') === text) continue;
		console.log(`${path.relative(process.cwd(), file)} is not current`);
		if (step === 'check') process.exitCode = 1;
		else writeFileSync(file, text);
	}
}

/** The page with other texts between its marks, `<!-- name -->` and `<!-- end of name -->`. @throws Error when it has no such marks */
async function withParts(page: string, parts: Record<string, string>): Promise<string> {
	let made = page;
	for (const [name, text] of Object.entries(parts)) {
		const part = new RegExp(`(?<=<!-- ${name} -->)[^]*(?=<!-- end of ${name} -->)`);
		if (!part.test(made)) throw new Error(`The page has no part ${name}.`);
		made = made.replace(part, () => `\n\n${text}\n\n`);
	}
	return await format(made, { ...(await resolveConfig(PAGE)), parser: 'markdown' });
}

/** Each resource with a line for each operation: what it does, which requests it makes, and what comes out. */
async function operationList(): Promise<string> {
	const requests = new Map<string, string[]>();
	for (const { operationId, method, path } of (await loadDocument()).offered) {
		const name = String(operationId).split('.').slice(0, 2).join('.');
		requests.set(name, [...(requests.get(name) ?? []), `\`${method.toUpperCase()} ${path}\``]);
	}
	const sections = catalogue.map(({ value, name, description, operations }) => {
		const lines = operations.map((operation) => {
			const id = `${value}.${operation.value}`;
			const asked = (COMPOSED[id] ?? [id]).flatMap((part) => requests.get(part) ?? []);
			if (asked.length === 0) throw new Error(`No request is known for ${id}.`);
			const one =
				asked.length > 3 ? (asked[0] ?? '').replace(/`\w+ /, '`any method ') : asked.join(', ');
			return `- **${operation.name}**: ${sentence(operation.description)} ${one} → ${outputOf(operation)}${credentialOf(operation)}`;
		});
		return [`### ${name}`, sentence(description), lines.join('\n')].join('\n\n');
	});
	return sections.join('\n\n');
}

function sentence(text: string): string {
	return text.replace(/\.?$/, '.');
}

/** Which credential it needs, where it is not the one with the API key. */
function credentialOf(operation: Operation): string {
	const access = ('access' in operation ? operation.access : undefined) ?? 'apiKey';
	return { apiKey: '', none: '; no credential', signed: '; signed' }[access];
}

/** What comes out, in the words that the page explains. */
function outputOf(operation: Operation): string {
	if ('run' in operation || operation.fields.includes(outputField)) return 'rows';
	if (operation.answer === deleted) return 'deleted';
	if (operation.answer === forwarded) return 'forwarded';
	if (operation.answer === runFiles) return 'files';
	const isList = operation.answer === list || operation.fields.includes(returnAllField);
	return isList ? 'items' : 'item';
}

/** Nothing of n8n: what is read here is the same in any workflow. */
const NO_WORKFLOW: FunctionsBase = Object({});

type Option = NonNullable<INodeProperties['options']>[number];

/** Each group of options with what counts while they are not added, which the editor does not show. */
function optionList(): string {
	const groups = new Map<string, Set<string>>();
	const all = catalogue.flatMap(({ operations }) => operations.map(({ fields }) => fields));
	for (const fields of [...all, CALLBACK_TRIGGER_FIELDS, POLLING.fields]) {
		for (const { type, displayName, options = [] } of toProperties(fields)) {
			if (type !== 'collection' || displayName === 'Filters') continue;
			const texts = groups.get(displayName) ?? new Set();
			groups.set(displayName, texts);
			for (const option of options.filter(isProperty)) {
				const text = optionText(option, fields);
				if (text !== undefined) texts.add(text);
			}
		}
	}
	const lines = [...groups].map(
		([name, texts]) => `- **${name}**: ${[...texts].sort().join('; ')}`,
	);
	return lines.sort().join('\n');
}

function isProperty(option: Option): option is INodeProperties {
	return 'type' in option;
}

/** `_Wait Limit (Hours)_ 7, from 0`; undefined where nothing counts, and anything can be entered. */
function optionText(
	{ name, displayName, options = [], typeOptions, default: first }: INodeProperties,
	fields: ReadonlyArray<Field<unknown>>,
): string | undefined {
	const field = fields.find((candidate) => candidate.name === name);
	const beginning = chosenValue(first);
	const [absent, begun] = [undefined, beginning].map((raw) => field?.read(raw, NO_WORKFLOW));
	// What is read in another unit is shown as the editor begins with it.
	const value = absent === begun ? beginning : absent;
	const nameOf = (one: unknown): string | undefined =>
		options.find((option) => 'value' in option && option.value === one)?.name;
	const shown = [value].flat().map((one) => {
		if (typeof one === 'boolean') return one ? 'on' : 'off';
		return typeof one === 'number' && one !== Infinity ? one.toLocaleString('en') : nameOf(one);
	});
	const { minValue, maxValue } = typeOptions ?? {};
	const range = [minValue, maxValue].map((limit) => limit?.toLocaleString('en'));
	const limits = range.flatMap((limit, index) =>
		limit ? `${['from', 'to'][index]} ${limit}` : [],
	);
	const said = shown.filter((text) => text !== undefined).join(' and ');
	if (said === '' && limits.length === 0) return undefined;
	return `_${displayName}_ ${[said || 'none', ...limits].join(', ')}`;
}

/** HTTP statuses that are explained where the service sends no code, and what the others stand for. */
const STATUSES: ReadonlyArray<[status: number, name: string]> = [
	[401, '401'],
	[404, '404'],
	[429, '429'],
	[500, '500 to 599'],
	[400, 'any other'],
];

function codeTable(): string {
	const codes = Object.entries(EXPLANATIONS).map(([code, explanation]) => [
		`\`${code}\``,
		...explanation,
	]);
	const statuses = STATUSES.map(([status, name]) => [
		`HTTP ${name}`,
		...explain(undefined, status),
	]);
	const head = ['Code', 'What the node says', 'What to do'];
	const rows = [head, head.map(() => '---'), ...codes, ...statuses];
	return rows.map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

void main(process.argv.slice(2));
