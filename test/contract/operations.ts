import type { IExecuteFunctions } from 'n8n-workflow';

import type { ReadParam } from '../../nodes/BrowserAutomation/fields/field';
import { returnAllField } from '../../nodes/BrowserAutomation/fields/requests';
import { catalogue } from '../../nodes/BrowserAutomation/resources/catalogue';
import type { Operation } from '../../nodes/BrowserAutomation/resources/operation';
import type { ServiceClient } from '../../nodes/BrowserAutomation/service/http/client';
import { HelpfulError, InputError } from '../../nodes/BrowserAutomation/service/errors';
import { isJsonObject } from '../../nodes/BrowserAutomation/service/json/json';
import type { ServiceRequest } from '../../nodes/BrowserAutomation/service/http/request';
import { ACTION, TRIGGER } from '../fixture/nodeTypes';

/** An operation of the node under the name it has in workflows, e.g. `bot.run`. */
export interface NamedOperation {
	name: string;
	operation: Operation;
}

export const nodeOperations: readonly NamedOperation[] = catalogue.flatMap((resource) =>
	resource.operations.map((operation) => ({
		name: `${resource.value}.${operation.value}`,
		operation,
	})),
);

/** Operations of the node that have none of their own in the interface: they are made of others. */
export const COMPOSED: Readonly<Record<string, readonly string[]>> = {
	'run.wait': ['run.getStatus', 'run.get'],
	'run.downloadFiles': ['run.get'],
	'task.wait': ['task.getStatus', 'task.get'],
	'task.downloadFiles': ['task.get'],
};

/** Raw parameters as n8n stores them, with resource locators reduced to their value. */
export type RawParameters = Readonly<Record<string, unknown>>;

export const TRIGGER_NAME = 'Trigger';

/** Where fields are read: an execution of an active workflow that has a trigger. */
export const IN_WORKFLOW: IExecuteFunctions = Object({
	getTimezone: () => 'UTC',
	getNode: () => ({ parameters: {} }),
	getMode: () => 'trigger',
	getWorkflow: () => ({ id: '1', active: true }),
	getWorkflowStaticData: () => ({}),
	workflow: { nodes: { [TRIGGER_NAME]: { name: TRIGGER_NAME, type: TRIGGER, parameters: {} } } },
	additionalData: { webhookBaseUrl: 'https://n8n.example.com/webhook' },
});

export function valuesFrom(raw: RawParameters): ReadParam {
	return (field) => {
		if (field.under === undefined) return field.read(raw[field.name] ?? undefined, IN_WORKFLOW);
		const group = raw[field.under];
		return field.read(isJsonObject(group) ? group[field.name] : undefined, IN_WORKFLOW);
	};
}

/** Of n8n only the node's type and what takes hints: what an operation does with a request and its answer needs no more. */
const NO_CONTEXT: IExecuteFunctions = Object({
	addExecutionHints: () => undefined,
	getNode: () => ({ type: ACTION }),
});

/**
 * The requests that an operation makes of raw parameters, the one that gives it its name first.
 *
 * @throws what the operation throws
 */
export async function requestsOf(
	{ operation }: NamedOperation,
	raw: RawParameters,
): Promise<ServiceRequest[]> {
	const values = valuesFrom(raw);
	if ('run' in operation) {
		const { run } = operation;
		if ('start' in run) return [run.start(values)];
		const taskId = run.attach(values);
		return [run.api.statusRequest(taskId), run.api.detailRequest(taskId)];
	}
	const request = operation.request(values);
	if (!operation.fields.some((field) => field === returnAllField)) return [request];
	return await pagesAskedFor(operation, request, values);
}

async function pagesAskedFor(
	{ answer }: Extract<Operation, { answer: unknown }>,
	request: ServiceRequest,
	values: ReadParam,
): Promise<ServiceRequest[]> {
	const asked: ServiceRequest[] = [];
	const client: ServiceClient = {
		baseUrl: 'https://service.test',
		send: async (page) => {
			asked.push(page);
			return { items: asked.length > 2 ? [] : [{ id: String(asked.length) }], limit: 1 };
		},
	};
	try {
		await answer(request, { client, values, itemIndex: 0, context: NO_CONTEXT });
	} catch (error) {
		if (asked.length === 0 || !isAboutTheAnswer(error)) throw error;
	}
	return asked;
}

/** Such as fields that no item of the answer has: it says nothing against the requests. */
function isAboutTheAnswer(error: unknown): boolean {
	return error instanceof HelpfulError && !(error instanceof InputError);
}
