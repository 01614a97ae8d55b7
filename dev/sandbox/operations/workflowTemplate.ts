import { isoTime } from '../clock';
import { json } from '../call';
import type { Operations } from '../call';
import type { Automation } from '../automations/automation';
import { idAt, objectOrEmpty, textAt } from '../json';
import { pageOf } from '../paging';
import { refusals } from '../refusal';
import { startTask } from '../runRequests';
import type { Service } from '../service';
import { withKeyword } from './template';
import { inputParameters } from './workflowInput';

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

		'workflowTemplate.run': async (call) => {
			const body = objectOrEmpty(call.body);
			const template = findTemplate(idAt(body, 'workflow_template_id'));
			return await startTask(service, template, call, textAt(body, 'proxyRegion') ?? 'US');
		},
	};
}
