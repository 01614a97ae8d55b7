import type { INodeProperties } from 'n8n-workflow';

import type { ExecutableOperation } from '../execution/operation';
import { ANSWER_FIELDS } from '../fields/answers';
import { toProperties } from '../fields/toProperties';
import type { Resource } from './operation';

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

function resourceProperties(offered: Resource): INodeProperties[] {
	return [
		operationProperty(offered),
		...offered.operations.flatMap(({ value, fields }) =>
			toProperties([...fields, ...ANSWER_FIELDS], {
				resource: [offered.value],
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
