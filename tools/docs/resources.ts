import {
	deleted,
	forwarded,
	list,
	runFiles,
} from '../../nodes/BrowserAutomation/execution/handlers';
import { outputField } from '../../nodes/BrowserAutomation/fields/output';
import { returnAllField } from '../../nodes/BrowserAutomation/fields/requests';
import { catalogue } from '../../nodes/BrowserAutomation/resources/catalogue';
import type { Operation, Resource } from '../../nodes/BrowserAutomation/resources/operation';
import { loadDocument } from '../../dev/sandbox/document';
import { COMPOSED } from '../../test/contract/operations';
import { outputSchemas, type OutputSchema } from '../build/outputSchemas';
import { anchorOf, tableOf } from './markdown';
import { type SharedFields } from './sharedFields';

/** Where the pages are, from the top of the repository. */
export const REFERENCE = 'docs/reference';

/** What is known of all operations beside the catalogue. */
interface Knowledge {
	/** Method and path by operation, e.g. `bot.run`. */
	requests: Map<string, string[]>;
	/** The fields of the output by operation, e.g. `bot/run`. */
	schemas: Map<string, OutputSchema>;
	shared: SharedFields;
}

/** A page for each resource of the node, and one for the fields that many have, by its file. */
export async function resourcePages(shared: SharedFields): Promise<Map<string, string>> {
	const knowledge = { requests: await readRequests(), schemas: await outputSchemas(), shared };
	const pages = catalogue.map((resource): [string, string] => [
		pageOf(resource),
		resourcePage(resource, knowledge),
	]);
	return new Map([...pages, shared.page].map(([file, text]) => [`${REFERENCE}/${file}`, text]));
}

/** The table of all resources, with links to their pages. */
export function resourceTable(): string {
	const rows = catalogue.map((resource) => [
		`[${resource.name}](${pageOf(resource)})`,
		resource.description,
		resource.operations
			.map(({ name }) => `[${name}](${pageOf(resource)}#${anchorOf(name)})`)
			.join(', '),
	]);
	return tableOf(['Resource', 'What it is for', 'Operations'], rows);
}

/** `workflowTemplate` -> `workflow-template.md` */
function pageOf({ name }: Resource): string {
	return `${anchorOf(name)}.md`;
}

async function readRequests(): Promise<Map<string, string[]>> {
	const { offered } = await loadDocument();
	const requests = new Map<string, string[]>();
	for (const { operationId, method, path } of offered) {
		const name = String(operationId).split('.').slice(0, 2).join('.');
		requests.set(name, [...(requests.get(name) ?? []), `${method.toUpperCase()} ${path}`]);
	}
	return requests;
}

function resourcePage(resource: Resource, knowledge: Knowledge): string {
	const { name, description, operations } = resource;
	const list = operations.map((operation) => `[${operation.name}](#${anchorOf(operation.name)})`);
	return [
		`# ${name}`,
		description.replace(/\.?$/, '.'),
		...(list.length > 1 ? [list.join(' · ')] : []),
		...operations.flatMap((operation) => section(resource, operation, knowledge)),
	].join('\n\n');
}

function section(
	{ value }: Resource,
	operation: Resource['operations'][number],
	{ requests, schemas, shared }: Knowledge,
): string[] {
	const name = `${value}.${operation.value}`;
	const facts = [
		`- Request: ${requestsOf(name, requests)
			.map((request) => `\`${request}\``)
			.join(', ')}`,
		...credentialOf(operation),
		`- What comes out: ${outputOf(operation, schemas.get(`${value}/${operation.value}`))}`,
	];
	return [
		`## ${operation.name}`,
		operation.description.replace(/\.?$/, '.'),
		facts.join('\n'),
		...shared.describe(operation.fields),
	];
}

/** @throws Error for an operation that the document does not state */
function requestsOf(name: string, requests: Map<string, string[]>): string[] {
	return (COMPOSED[name] ?? [name]).flatMap((part) => {
		const found = requests.get(part);
		if (found === undefined) throw new Error(`No request is known for ${part}.`);
		return found;
	});
}

/** A line about the credential, where it is not the one with the API key. */
function credentialOf(operation: Operation): string[] {
	const access = ('access' in operation ? operation.access : undefined) ?? 'apiKey';
	if (access === 'apiKey') return [];
	if (access === 'none') return ['- Credential: none'];
	return [
		'- Credential: [Browser Automation Signing API](../use/credentials.md#browser-automation-signing-api)',
	];
}

function outputOf(operation: Operation, schema: OutputSchema | undefined): string {
	if ('run' in operation || operation.fields.includes(outputField)) {
		return 'one item for each row of the run’s output, or what you choose under _Output_';
	}
	if (operation.answer === deleted) return 'one item: `{ "deleted": true }`';
	if (operation.answer === forwarded) {
		return 'what the backend answers: JSON as items, text in the field `text`, anything else as the binary field `data`; with its status and headers where you choose so';
	}
	const names = Object.keys(schema?.properties ?? {}).map((name) => `\`${name}\``);
	if (operation.answer === runFiles) {
		return `one item with the files as binary fields, and ${names.join(', ')}`;
	}
	const isList = operation.answer === list || operation.fields.includes(returnAllField);
	const count = isList ? 'one item for each result' : 'one item';
	if (names.length === 0) return `${count}, as the service answers; its fields are not published`;
	const hasOutput = operation.fields.some(({ parameter }) => parameter.displayName === 'Output');
	return `${count}: ${names.join(', ')}${hasOutput ? ', or what you choose under _Output_' : ''}`;
}
