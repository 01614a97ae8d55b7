import type { FastifyInstance } from 'fastify';
import type { Service } from './service';

/** The pages that links in the service's answers lead to, so that none of them is dead. */
export function addPageRoutes(app: FastifyInstance, service: Service): void {
	app.get<{ Params: { '*': string } }>('/sandbox/pages/*', (request, reply) => {
		const [page = '', subject = ''] = request.params['*'].split('/');
		const run = service.runs.find(subject);
		const steps = run ? service.runView.steps(run) : [];
		const lines = [
			run ? `${run.automation.name}: ${run.status}` : subject,
			...steps.map((step) => `${String(step['step_goal'])}: ${String(step['status'])}`),
		];
		const [title, ...items] = [page, ...lines].map(escapeHtml);
		return reply
			.header('content-type', 'text/html; charset=utf-8')
			.send(`<!doctype html><title>${title}</title><h1>${title}</h1><p>${items.join('<br>')}</p>`);
	});
}

function escapeHtml(text: string): string {
	return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
