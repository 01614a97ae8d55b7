import { InputError } from '../service/errors';
import { RUN_STATUSES } from '../service/runs/runApi';
import { toDateTime } from '../service/schema/dateTime';
import { startOf } from '../service/text';
import type { Field } from './field';
import {
	choice,
	field,
	locator,
	locatorFilter,
	numberOption,
	switchOption,
	text,
} from './fieldBuilders';
import { readId, readOptionalId, readOptionalText, unlessNothing } from './parseValue';

const BOT_ID = 'e.g. 76520131497525';
const RUN_ID = 'e.g. 90210047112233';
const UUID = 'e.g. 5f1c0c1e-6f0e-4f0b-9f57-2f6f3a1b9d10';

/** The last argument: words in the addresses of its pages that are no IDs (docs/service.md: Endpoints). */
export const botField = locator('botId', 'Bot', BOT_ID, 'The bot to use', [
	'regions',
	'runs',
	'templates',
]);

export const templateField = locator('templateId', 'Template', BOT_ID, 'The official template');
export const runField = locator('taskId', 'Run', RUN_ID, 'The run to use, by its task_id');
export const taskField = locator(
	'taskId',
	'Task',
	RUN_ID,
	'The task to use (a run, in the V2 API)',
);
export const browserField = locator('browserId', 'Browser', 'e.g. 30001', 'The browser to use');

export const workflowField = locator(
	'workflowId',
	'Workflow',
	BOT_ID,
	'A workflow of the service, not of n8n. It has the ID of its bot.',
);

export const workflowTemplateField = locator(
	'templateId',
	'Workflow Template',
	BOT_ID,
	'The official workflow template',
);

/** Its ID stays text, so that no digit is lost. */
export const staticProxyField = text('staticProxyId', 'Static Proxy ID', {
	required: true,
	description: 'The static proxy to rename',
	placeholder: 'e.g. 9007199254740993',
	read: (raw, label) => {
		const id = readId(raw, label, 'Enter the ID of the static proxy, a whole number.');
		const isInt64 = /^-?\d{1,19}$/.test(id) && BigInt.asIntN(64, BigInt(id)) === BigInt(id);
		if (isInt64) return id;
		throw new InputError(
			`${label} is "${startOf(id, 40)}", which is not a 64-bit whole number`,
			'Enter digits only, as text, e.g. 9007199254740993.',
		);
	},
});

export const sessionUuidField = text('uuid', 'Session UUID', {
	required: true,
	description: 'The session to end, by what Create Session returns. Which field is not published.',
	placeholder: UUID,
	read: (raw, label) => readId(raw, label, 'Enter the UUID that the service gave the session.'),
});

export const machineIdField = text('machineId', 'Machine ID', {
	required: true,
	description: 'What identifies the machine that gets the API key. The service states no format.',
	placeholder: 'e.g. build-server-1',
	read: (raw, label) => readId(raw, label, 'Enter a text that identifies the machine.'),
});

/** The service's limit for keywords, in characters (docs/service.md: Limits). */
const KEYWORD_LENGTH = 200;

/** Part of a name to search for. */
export const keywordFilter = text('keyword', 'Keyword', {
	under: 'filters',
	description: 'Filter by name, ignoring case',
	placeholder: 'e.g. scraper',
	read: (raw, label) => {
		const keyword = readOptionalText(raw, label);
		if (keyword === undefined || [...keyword].length <= KEYWORD_LENGTH) return keyword;
		throw new InputError(
			`${label} is longer than ${KEYWORD_LENGTH} characters`,
			'Shorten it and try again.',
		);
	},
});

function statusFilter(things: string, statuses: readonly string[]): Field<string | undefined> {
	return choice('status', 'Status', {
		under: 'filters',
		absent: undefined,
		description: `Only ${things} with this status`,
		default: 'finished',
		choices: titlesOf(statuses),
	});
}

function titlesOf(statuses: readonly string[]): Record<string, string> {
	const titleOf = (status: string): string => status.charAt(0).toUpperCase() + status.slice(1);
	return Object.fromEntries(statuses.map((status) => [status, titleOf(status)]));
}

function createdFilter(name: string, displayName: string, side: 'after' | 'before') {
	return field({
		name,
		displayName,
		description: `Only runs created at or ${side} this moment, in the workflow’s time zone. A date alone is the start of its day.`,
		under: 'filters',
		type: 'dateTime',
		default: '',
		read: (raw, label, context) =>
			(raw ?? '') === '' ? undefined : toDateTime(raw, label, context.getTimezone()),
	});
}

const CREATED_FILTERS = {
	created_at_from: createdFilter('createdAtFrom', 'Created From', 'after'),
	created_at_to: createdFilter('createdAtTo', 'Created To', 'before'),
};

/** The filters of lists, by the service's names. */
export const BOT_FILTERS = {
	keyword: keywordFilter,
	bot_type: choice('botType', 'Bot Type', {
		under: 'filters',
		absent: undefined,
		description: 'Only bots of this type',
		default: 'agent',
		choices: { agent: 'Agent', workflow: 'Workflow' },
	}),
};

export const RUN_FILTERS = {
	bot_id: locatorFilter(botField, 'Only runs of this bot'),
	bot_name: text('botName', 'Bot Name', {
		under: 'filters',
		description: 'Only runs of bots whose name contains this',
		placeholder: 'e.g. scraper',
		read: readOptionalText,
	}),
	status: statusFilter('runs', RUN_STATUSES),
	...CREATED_FILTERS,
};

export const TASK_FILTERS = {
	workflow_id: locatorFilter(workflowField, 'Only tasks of this workflow'),
	workflow_name: text('workflowName', 'Workflow Name', {
		under: 'filters',
		description: 'Only tasks of the workflow with this name',
		placeholder: 'e.g. Price monitor',
		read: readOptionalText,
	}),
	status: statusFilter('tasks', [...RUN_STATUSES, 'unknown']),
	...CREATED_FILTERS,
};

/** Which run is read: one that is chosen, or the last of a bot. */
export const whichRunField = choice('whichRun', 'Which Run', {
	noDataExpression: true,
	default: 'id',
	description: 'Which run to read',
	choices: { id: 'Chosen Below', last: 'Last Run of a Bot' },
});

const OF_LAST_RUN = { whichRun: ['last'] };

export const lastRunBotField: Field<string> = {
	...botField,
	parameter: { ...botField.parameter, description: 'The bot whose run to read' },
	showWhen: OF_LAST_RUN,
};

export const lastRunStatusField = choice('lastStatus', 'Status', {
	default: 'any',
	description: 'Which status the run must have now',
	showWhen: OF_LAST_RUN,
	choices: { any: 'Any', ...titlesOf(RUN_STATUSES) },
});

export const BROWSER_FILTERS = {
	request_id: text('requestId', 'Request ID', {
		under: 'filters',
		description: 'Only browsers that were purchased with this access grant request',
		placeholder: UUID,
		read: readOptionalId,
	}),
	/** These are all there are (docs/service.md: Browser status values). */
	status: choice('status', 'Status', {
		under: 'filters',
		absent: undefined,
		description: 'Only browsers with this status',
		default: 'active',
		choices: { active: 'Active', expired: 'Expired', 'grace-period': 'Grace Period' },
	}),
};

export const bizCodeOption = numberOption('bizCode', 'Business Code', {
	description:
		'A number that says why the run is canceled, by default that its user wants it. The codes are not published.',
	default: 0,
	absent: undefined,
	from: -(2 ** 31),
	to: 2 ** 31 - 1,
});

export const proxyRegionOption = field({
	displayName: 'Proxy Region Name or ID',
	name: 'proxyRegion',
	under: 'options',
	type: 'options',
	typeOptions: { loadOptionsMethod: 'getRegions' },
	default: '',
	description:
		'The country the browser appears to be in. Choose from the list, or specify an ID using an <a href="https://docs.n8n.io/code/expressions/">expression</a>.',
	read: unlessNothing(readOptionalId),
});

/** The options of starting a workflow's task, by the service's names. */
export const WORKFLOW_OPTIONS = {
	save_browser_data: switchOption('saveBrowserData', 'Save Browser Data', {
		description:
			'Whether to keep cookies and other data for later tasks with the same profile. Without this option the service decides.',
		absent: undefined,
	}),
	profile_id: text('profileId', 'Profile ID', {
		under: 'options',
		description:
			'Browser profile whose saved data the task uses. The output of a task that saves browser data shows it as profile_id.',
		placeholder: 'e.g. 81200311459002',
		read: unlessNothing(readOptionalId),
	}),
};
