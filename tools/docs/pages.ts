import { catalogue } from '../../nodes/BrowserAutomation/resources/catalogue';
import { EXPLANATIONS, explain } from '../../nodes/BrowserAutomation/service/http/errorCodes';
import { CALLBACK_TRIGGER_FIELDS, POLLING } from '../../nodes/BrowserAutomation/fields/triggers';
import { CONVERTER, converterExample } from './converter';
import { formatted } from './formatted';
import { tableOf, withPart } from './markdown';
import { REFERENCE, resourcePages, resourceTable } from './resources';
import { SharedFields } from './sharedFields';

const MADE = '<!-- Made by `npm run docs`: what is changed here is lost. -->';

/** HTTP statuses that are explained where the service sends no code, and what the others stand for. */
const STATUSES: ReadonlyArray<[status: number, name: string]> = [
	[401, '401'],
	[404, '404'],
	[429, '429'],
	[500, '500 to 599'],
	[400, 'any other'],
];

/** All pages of the documentation that are made of the code, whole or in part, and an example, by their files. */
export async function generatedPages(): Promise<Map<string, string>> {
	const shared = new SharedFields([
		...catalogue.flatMap(({ operations }) => operations.map(({ fields }) => fields)),
		CALLBACK_TRIGGER_FIELDS,
		POLLING.fields,
	]);
	const pages = await resourcePages(shared);
	pages.set(`${REFERENCE}/triggers.md`, triggersPage(shared));
	for (const [file, text] of pages) pages.set(file, `${MADE}\n\n${text}`);
	const parts: ReadonlyArray<[file: string, name: string, text: string]> = [
		[`${REFERENCE}/README.md`, 'resources', resourceTable()],
		[`${REFERENCE}/error-codes.md`, 'codes', codeTable()],
	];
	for (const [file, name, text] of parts) pages.set(file, withPart(file, name, text));
	pages.set(CONVERTER, await converterExample());
	const made = [...pages].map(async ([file, text]): Promise<[string, string]> => [
		file,
		await formatted(file, text),
	]);
	return new Map(await Promise.all(made));
}

function triggersPage(shared: SharedFields): string {
	return [
		'# Fields of the triggers',
		'What the events are, and which trigger to choose: [Triggers](../use/triggers.md).',
		'## Browser Automation Trigger',
		...shared.describe(CALLBACK_TRIGGER_FIELDS),
		'## Browser Automation Polling Trigger',
		'It also has n8n’s own _Poll Times_.',
		...shared.describe(POLLING.fields),
	].join('\n\n');
}

function codeTable(): string {
	const codes = Object.entries(EXPLANATIONS).map(([code, explanation]) => [
		`\`${code}\``,
		...explanation,
	]);
	const statuses = STATUSES.map(([status, name]) => [
		`HTTP ${name}`,
		...explain(undefined, status),
	]);
	return tableOf(['Code', 'What the node says', 'What to do'], [...codes, ...statuses]);
}
