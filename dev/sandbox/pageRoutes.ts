import type { FastifyInstance } from 'fastify';
import type { Service } from './service';

const TITLES: Readonly<Record<string, string>> = {
	live: 'Live view',
	log: 'Execution log',
	templates: 'Template',
	login: 'Log in',
	grants: 'Access grant',
	assist: 'Human assist',
	packages: 'Package',
};

/** The pages that links in the service's answers lead to, so that none of them is dead. */
export function addPageRoutes(app: FastifyInstance, service: Service): void {
	app.get<{ Params: { page: string; subject: string } }>(
		'/sandbox/pages/:page/:subject',
		(request, reply) => {
			const { page, subject } = request.params;
			const run = service.runs.find(subject);
			const lines = run
				? [
						`${run.automation.name}: ${run.status}`,
						...service.runView
							.steps(run)
							.map((step) => `${String(step['step_goal'])}: ${String(step['status'])}`),
					]
				: [subject];
			const items = lines.map((line) => `<li>${escapeHtml(line)}</li>`).join('');
			const title = TITLES[page] ?? 'Sandbox';
			return reply
				.header('content-type', 'text/html; charset=utf-8')
				.send(`<!doctype html><title>${title}</title><h1>${title}</h1><ul>${items}</ul>`);
		},
	);
	app.get<{ Params: { taskId: string; step: string } }>(
		'/sandbox/pages/screenshots/:taskId/:step',
		(request, reply) => {
			const { taskId, step } = request.params;
			const caption = escapeHtml(`Task ${taskId}, step ${step.replace('.svg', '')}`);
			return reply
				.header('content-type', 'image/svg+xml')
				.send(
					`<svg xmlns="http://www.w3.org/2000/svg" width="640" height="360"><rect width="640" height="360" fill="#e8eef4"/><text x="40" y="190" font-family="sans-serif" font-size="20">${caption}</text></svg>`,
				);
		},
	);
}

function escapeHtml(text: string): string {
	return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
