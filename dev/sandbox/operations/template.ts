import { isoTime } from '../clock';
import { json } from '../call';
import type { Call, Operations } from '../call';
import type { Automation } from '../automations/automation';
import { REGIONS } from '../automations/regions';
import type { JsonObject } from '../json';
import { pageOf } from '../paging';
import { refusals } from '../refusal';
import { startRun } from '../runRequests';
import type { Service } from '../service';

/** Official templates and proxy regions (docs/service.md: V3 bots and templates). */
export function templateOperations(service: Service): Operations {
	const { templates } = service;

	const findTemplate = ({ path }: Call): Automation => {
		const template = templates.find(({ id }) => id === path['template_id']);
		if (!template) throw refusals.templateNotFound();
		return template;
	};

	const summary = ({ id, type, name, description }: Automation): JsonObject => ({
		template_id: id,
		name,
		recommend_desc: description,
		detail_url: `${service.url}/sandbox/pages/templates/${id}`,
		bot_type: type,
	});

	return {
		'template.getAll': ({ query }) =>
			json(pageOf(withKeyword(templates, query), query, 10, summary)),

		'template.get': (call) => {
			const template = findTemplate(call);
			return json({
				...summary(template),
				description: template.description,
				created_at: isoTime(template.createdAt),
				published_at: isoTime(template.publishedAt ?? template.createdAt),
				input_schema: template.inputSchema,
			});
		},

		'template.run': async (call) => await startRun(service, findTemplate(call), call),

		'template.getRegions': () => json(REGIONS),
		'template.getRegions.v2': () => json(REGIONS),
	};
}

/** The templates that have the keyword of a query in their name or description. */
export function withKeyword(templates: readonly Automation[], query: Call['query']): Automation[] {
	const keyword = (query['keyword'] ?? '').toLowerCase();
	return templates.filter((template) =>
		`${template.name}\n${template.description}`.toLowerCase().includes(keyword),
	);
}
