import { isoTime } from '../clock';
import { json } from '../call';
import type { Operations } from '../call';
import type { Automation } from '../automations/automation';
import { idAt, objectOrEmpty, withoutUndefined } from '../json';
import type { JsonObject } from '../json';
import { pageOf } from '../paging';
import { refusals } from '../refusal';
import { startTask } from '../runRequests';
import type { Service } from '../service';
import { inputParameters } from './workflowInput';

/** Workflows: the V2 view of bots of type workflow, under the same IDs (docs/service.md: V2 workflow). */
export function workflowOperations(service: Service): Operations {
	const workflows = (): Automation[] => service.bots.filter(({ type }) => type === 'workflow');

	const findWorkflow = (workflowId: string | undefined): Automation => {
		const workflow = workflows().find(({ id }) => id === workflowId);
		if (!workflow) throw refusals.botNotFound();
		return workflow;
	};

	return {
		'workflow.getAll': ({ query }) => {
			const published = workflows().filter(({ publishedAt }) => publishedAt !== undefined);
			return json(pageOf(published, query, 20, workflowSummary));
		},

		'workflow.get': ({ query }) => {
			const workflow = findWorkflow(query['workflow_id']);
			return json({
				...workflowSummary(workflow),
				input_parameters: inputParameters(workflow),
			});
		},

		'workflow.run': async (call) => {
			const workflow = findWorkflow(idAt(objectOrEmpty(call.body), 'workflow_id'));
			return await startTask(service, workflow, call);
		},
	};
}

function workflowSummary({ id, name, description, ...times }: Automation): JsonObject {
	const { createdAt, publishedAt } = times;
	return withoutUndefined({
		id,
		name,
		description,
		create_at: isoTime(createdAt),
		publish_at: publishedAt === undefined ? undefined : isoTime(publishedAt),
	});
}
