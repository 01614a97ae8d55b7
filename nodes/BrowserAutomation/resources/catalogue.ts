import type {
	INodeCredentialDescription,
	INodeProperties,
	INodePropertyOptions,
} from 'n8n-workflow';

import type { Access } from '../execution/executable';
import { toProperties } from '../fields/fieldBuilders';
import { API_CREDENTIAL, SIGNING_CREDENTIAL } from '../transport/credentials';
import { bot, template, workflow, workflowTemplate } from './bot';
import { accessGrant, browser, humanAssist, proxySession, staticProxy } from './browser';
import { cli, cliService, publicCli } from './cli';
import type { Operation, Resource } from './operation';
import { run, task } from './run';

/**
 * Everything the service offers. The node's parameters and their execution follow from this list. The editor shows it in this
 * order, so what most users come for is first, and the older API is last.
 */
export const catalogue: readonly Resource[] = [
	bot,
	run,
	template,
	browser,
	accessGrant,
	staticProxy,
	proxySession,
	humanAssist,
	cli,
	publicCli,
	cliService,
	workflow,
	workflowTemplate,
	task,
];

/**
 * All parameters of the node: the resource, its operation, and each operation's fields. The editor lists the actions in the
 * order of the catalogue, so what most users come for is first.
 */
export function catalogueProperties(resources: readonly Resource[]): INodeProperties[] {
	const entries = resources.map(({ value, name, description }) => ({ value, name, description }));
	return [
		chooser({ displayName: 'Resource', name: 'resource' }, entries),
		...resources.flatMap(resourceProperties),
	];
}

/**
 * Only a condition written as a list of values tells n8n which operations are a resource's. A resource of an older API has a
 * rule in its place (`_cnd`), which shows the same in the node: n8n lists no actions of it, and its assistants need not read
 * the definition of what has a successor (2.41: `extractDiscriminatorCombinations` of @n8n/workflow-sdk's generate-types.js).
 */
function resourceProperties({ value: resource, isOlder, operations }: Resource): INodeProperties[] {
	const entries = operations.map(({ name, value, action, description }) => ({
		name,
		value,
		action,
		description,
	}));
	const show = { resource: [resource] };
	const shown = { resource: isOlder ? [{ _cnd: { eq: resource } }] : [resource] };
	return [
		chooser(
			{ displayName: 'Operation', name: 'operation', displayOptions: { show: shown } },
			entries,
		),
		...operations.flatMap(({ value, fields }) =>
			toProperties(fields, { ...show, operation: [value] }),
		),
	];
}

/** A choice that begins with the first of its entries. */
function chooser(
	property: Pick<INodeProperties, 'displayName' | 'name' | 'displayOptions'>,
	options: INodePropertyOptions[],
): INodeProperties {
	const first = options[0]?.value ?? '';
	return { ...property, type: 'options', noDataExpression: true, default: first, options };
}

/** What stands below the node on the canvas, e.g. "Run: Bot". */
export function catalogueSubtitle(resources: readonly Resource[]): string {
	const titles = resources.flatMap(({ value, name, operations }) =>
		operations.map((operation) => [`${value}.${operation.value}`, `${operation.name}: ${name}`]),
	);
	return `={{ (${JSON.stringify(Object.fromEntries(titles))})[$parameter["resource"] + "." + $parameter["operation"]] }}`;
}

/** The node's credentials, each shown only for the operations that need it. */
export function toCredentials(resources: readonly Resource[]): INodeCredentialDescription[] {
	return [
		{ ...credentialFor('apiKey', API_CREDENTIAL, resources), testedBy: 'testApiKey' },
		credentialFor('signed', SIGNING_CREDENTIAL, resources),
	];
}

function credentialFor(access: Access, name: string, resources: readonly Resource[]) {
	const needs = (operation: Operation): boolean =>
		(('access' in operation ? operation.access : undefined) ?? 'apiKey') === access;
	const concerned = resources.filter(({ operations }) => operations.some(needs));
	const all = concerned.flatMap(({ operations }) => operations);
	const isPart = !all.every(needs);
	const operation = [...new Set(all.filter(needs).map(({ value }) => value))];
	const resource = concerned.map(({ value }) => value);
	return {
		name,
		required: true,
		displayOptions: { show: { resource, ...(isPart && { operation }) } },
	};
}
