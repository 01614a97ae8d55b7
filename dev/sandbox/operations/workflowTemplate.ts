import { isoTime } from '../clock';
import { json } from '../call';
import type { Operations } from '../call';
import { acceptTextInput } from '../automations/input';
import type { Automation } from '../automations/automation';
import { idAt, objectOrEmpty, textAt } from '../json';
import { pageOf } from '../paging';
import { refusals } from '../refusal';
import type { Service } from '../service';
import { withKeyword } from './template';
import { inputParameters, inputValues } from './workflowInput';

/** Official templates as V2 shows them (docs/service.md: V2 workflow). */
export function workflowTemplateOperations(service: Service): Operations {
	const { templates } = service;

	const findTemplate = (templateId: string | undefined): Automation => {
		const template = templates.find(({ id }) => id === templateId);
		if (!template) throw refusals.workflowTemplateNotFound();
		return template;
	};

	const detailUrl = ({ id }: Automation): string => `${service.url}/sandbox/pages/templates/${id}`;

	return {
		'workflowTemplate.getAll': ({ query }) => {
			return json(
				pageOf(withKeyword(templates, query), query, 10, (template) => ({
					templateId: template.id,
					name: template.name,
					recommendDesc: template.description,
					detailUrl: detailUrl(template),
				})),
			);
		},

		'workflowTemplate.get': ({ query }) => {
			const template = findTemplate(query['workflow_template_id']);
			return json({
				id: template.id,
				name: template.name,
				description: template.description,
				recommendDesc: template.description,
				detailUrl: detailUrl(template),
				create_at: isoTime(template.createdAt),
				publish_at: isoTime(template.publishedAt ?? template.createdAt),
				input_parameters: inputParameters(template),
			});
		},

		'workflowTemplate.run': async ({ body, key }) => {
			const request = objectOrEmpty(body);
			const automation = findTemplate(idAt(request, 'workflow_template_id'));
			const run = await service.starter.start({
				automation,
				key,
				input: () => acceptTextInput(automation, inputValues(request)),
				proxyRegion: textAt(request, 'proxyRegion') ?? 'US',
				callbackUrl: textAt(request, 'callback_url'),
				statusCallbackUrl: textAt(request, 'status_change_callback_url'),
			});
			return json({ id: run.taskId, profile_id: run.profileId });
		},
	};
}
