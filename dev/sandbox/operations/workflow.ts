import { isoTime } from '../clock';
import { json } from '../call';
import type { Operations } from '../call';
import { acceptTextInput } from '../automations/input';
import type { Automation } from '../automations/automation';
import { idAt, objectOrEmpty, textAt, withoutUndefined } from '../json';
import type { JsonObject } from '../json';
import { pageOf } from '../paging';
import { refusals } from '../refusal';
import type { Service } from '../service';
import { inputParameters, inputValues } from './workflowInput';

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

		'workflow.run': async ({ body, key }) => {
			const request = objectOrEmpty(body);
			const automation = findWorkflow(idAt(request, 'workflow_id'));
			const run = await service.starter.start({
				automation,
				key,
				input: () => acceptTextInput(automation, inputValues(request)),
				proxyRegion: undefined,
				callbackUrl: textAt(request, 'callback_url'),
				statusCallbackUrl: textAt(request, 'status_change_callback_url'),
				profileId: textAt(request, 'profile_id'),
			});
			return json({ id: run.taskId, profile_id: run.profileId });
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
