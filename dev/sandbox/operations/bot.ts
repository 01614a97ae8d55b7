import { isoTime } from '../clock';
import { json } from '../call';
import type { Call, Operations } from '../call';
import type { Automation } from '../automations/automation';
import { withoutUndefined } from '../json';
import type { JsonObject } from '../json';
import { pageOf } from '../paging';
import { refusals } from '../refusal';
import { startRun } from '../runRequests';
import type { Service } from '../service';

/** Bots (docs/service.md: V3 bots and templates). */
export function botOperations(service: Service): Operations {
	const { bots } = service;

	const findBot = ({ path }: Call): Automation => {
		const bot = bots.find(({ id }) => id === path['bot_id']);
		if (!bot) throw refusals.botNotFound();
		return bot;
	};

	return {
		'bot.getAll': ({ query }) => {
			const keyword = (query['keyword'] ?? '').toLowerCase();
			const shown = bots.filter(
				({ publishedAt, type, name }) =>
					publishedAt !== undefined &&
					(query['bot_type'] === undefined || query['bot_type'] === type) &&
					name.toLowerCase().includes(keyword),
			);
			return json(pageOf(shown, query, 20, botSummary));
		},

		'bot.get': (call) => {
			const bot = findBot(call);
			const published = bot.publishedAt !== undefined;
			return json({
				...botSummary(bot),
				created_at: isoTime(bot.createdAt),
				published_at: bot.publishedAt === undefined ? null : isoTime(bot.publishedAt),
				input_schema: published ? bot.inputSchema : null,
				output_schema: published ? service.results.schemaOf(bot) : null,
			});
		},

		'bot.run': async (call) => await startRun(service, findBot(call), call),
	};
}

function botSummary({ id, type, name, description, publishedAt }: Automation): JsonObject {
	return withoutUndefined({
		bot_id: id,
		bot_type: type,
		name,
		description,
		published_at: publishedAt === undefined ? undefined : isoTime(publishedAt),
	});
}
