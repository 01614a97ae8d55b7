import type { INodeProperties } from 'n8n-workflow';

import { ANSWER_FIELDS } from '../fields/answers';
import { toProperties } from '../fields/toProperties';
import type { ExecutableOperation, RequestOperation, RunOperation } from '../execution/operation';

/** How an operation is called in the editor. */
interface Naming {
	/** The value that workflows store. Never changes. */
	value: string;
	/** Title Case, as in the list of operations. */
	name: string;
	/** Sentence case, as in the list of nodes, without articles, e.g. "Get run". */
	action: string;
	description: string;
}

/** One operation of the service: its names, what a user fills in, and how it is carried out. */
export type Operation = Naming & (RequestOperation | RunOperation);

/** A kind of thing the service has, and what can be done with it. */
export interface Resource {
	value: string;
	name: string;
	/** One sentence, shown below the name in the list of resources. */
	description: string;
	operations: Operation[];
}

/** The operation behind a resource and an operation value; undefined when there is none. */
export function findOperation(
	resources: readonly Resource[],
	resource: string,
	operation: string,
): ExecutableOperation | undefined {
	return resources
		.find(({ value }) => value === resource)
		?.operations.find(({ value }) => value === operation);
}

/**
 * All parameters of the node: the resource, its operation, and each operation's fields. The editor lists the actions in the
 * order of the catalogue, so what most users come for is first.
 */
export function catalogueProperties(resources: readonly Resource[]): INodeProperties[] {
	return [resourceProperty(resources), ...resources.flatMap(resourceProperties)];
}

function resourceProperty(resources: readonly Resource[]): INodeProperties {
	const first = resources[0]?.value ?? '';
	return {
		displayName: 'Resource',
		name: 'resource',
		type: 'options',
		noDataExpression: true,
		default: first,
		options: resources.map(({ value, name, description }) => ({ value, name, description })),
	};
}

function resourceProperties(resource: Resource): INodeProperties[] {
	return [
		operationProperty(resource),
		...resource.operations.flatMap(({ value, fields }) =>
			toProperties([...fields, ...ANSWER_FIELDS], {
				resource: [resource.value],
				operation: [value],
			}),
		),
	];
}

function operationProperty({ value, operations }: Resource): INodeProperties {
	const first = operations[0]?.value ?? '';
	return {
		displayName: 'Operation',
		name: 'operation',
		type: 'options',
		noDataExpression: true,
		displayOptions: { show: { resource: [value] } },
		default: first,
		options: operations.map(({ value: operation, name, action, description }) => ({
			name,
			value: operation,
			action,
			description,
		})),
	};
}

/** What stands below the node on the canvas, e.g. "Run: Bot". */
export function catalogueSubtitle(resources: readonly Resource[]): string {
	const titles = resources.flatMap(({ value, name, operations }) =>
		operations.map((operation) => [`${value}.${operation.value}`, `${operation.name}: ${name}`]),
	);
	return `={{ (${JSON.stringify(Object.fromEntries(titles))})[$parameter["resource"] + "." + $parameter["operation"]] }}`;
}
