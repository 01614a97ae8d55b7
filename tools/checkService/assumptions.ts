import { readFileSync } from 'node:fs';
import path from 'node:path';

const PAGE = 'docs/service.md';

/** What the package takes for granted, each as the beginning of a statement of docs/service.md. */
export const ASSUMPTIONS = {
	authentication: '`Authorization: Bearer <API key>` everywhere',
	bot: 'A bot has an ID, a type (workflow or agent) and a name',
	browser:
		'configuration, and a captcha solver that takes objects by name. Answers are in the envelope',
	callback: '`callback_url` is called when a run finishes',
	callbackAnswer: 'A status of success says that the callback was taken',
	codes: 'Known codes and what they mean are one table',
	envelope: 'Errors, and successes outside V3 and V2 workflow, come as',
	filters: 'The list of runs can be filtered by',
	files: '`output_files` is keyed by format',
	filesExpiry: '`files_expires_at`, milliseconds since 1970',
	limits: '| What                         | Limit',
	output: '`output` is there when the run has ended',
	page: 'A list is a page:',
	refusals: 'The HTTP status is 400 for whatever is wrong with a request',
	requiredInputs: 'An input is required where its `default_enabled` is false',
	regions: '`/v3/bots/regions` lists proxy regions',
	run: 'A run of V3, and what callbacks bring',
	runCreated: 'answers with `task_id`',
	runInList: 'A run in a list has its ID',
	sameIds: "A workflow's ID is the ID of the bot",
	states: 'A run is `created`, `running`',
	status: '`task_id`, `status`, `updated_at`.',
	task: 'The same run in V2',
	workflow: '`/v2/workflow/…`: the same runs by another name',
} as const;

export type Assumption = keyof typeof ASSUMPTIONS;

let lines: string[] | undefined;

/** Where an assumption stands, e.g. `docs/service.md:34`; the page alone once it does not say so any more. */
export function placeOf(assumption: Assumption): string {
	lines ??= readFileSync(path.join(__dirname, '../..', PAGE), 'utf8').split('\n');
	const index = lines.findIndex((line) => line.includes(ASSUMPTIONS[assumption]));
	return index < 0 ? PAGE : `${PAGE}:${index + 1}`;
}
