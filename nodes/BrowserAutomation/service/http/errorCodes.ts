import { BASE_URL } from '../errors';

/** What a refusal means, and what to do about it. */
type Explanation = readonly [what: string, advice: string];

const CORRECT =
	'Correct what the message names. If it names nothing, check what you entered; if it stays, tell the service’s support.';

const WRONG_KEY: Explanation = [
	'The service does not accept the API key',
	'Paste the API key again in the credential and save it; n8n then tests it.',
];

const WRONG_SIGNATURE: Explanation = [
	'The service does not accept the signature',
	'Open the signing credential and set the secret, the signed text, the encoding and the timestamp unit as the service’s support told you. Check this machine’s clock, too.',
];

const INPUT_MISSING: Explanation = [
	'A required input is missing',
	'Open this node and fill in every required field of the bot’s form, which may have changed.',
];

const TEMPLATE_NOT_FOUND: Explanation = [
	'The template does not exist',
	'Choose the template again from the list; it may have been withdrawn.',
];

const TOO_LONG: Explanation = [
	'The service failed, or takes too long',
	'Try again later. If it stays, tell the service’s support.',
];

const TOO_LARGE: Explanation = [
	'The request is too large for the service, or a proxy before it',
	'Send less at once, e.g. a link to a file instead of its content.',
];

const NO_V2: Explanation = [
	'The service did not find it, or does not offer this operation of its V2 interface',
	`Check the ID or path. V2 may be switched off for your account: then use Bot, Template and Run instead of Workflow and Task. If V3 fails as well, check ${BASE_URL}.`,
];

/** The API key or the signature is wrong. */
export const NOT_AUTHORIZED = 401;

/** The API key is right, but may not do this. */
export const NO_PERMISSION = 99002;

/** A parameter is not what the service takes. Nothing was done. */
export const INVALID_PARAMETER = 99001;

/** The bot does not exist, or belongs to another company. */
export const BOT_NOT_FOUND = 10111;

/** The run does not exist, or belongs to another company. */
export const RUN_NOT_FOUND = 10112;

/** The plan's limit of running tasks. Nothing was started, so a start may be tried again. */
export const TOO_MANY_RUNNING_TASKS = 10118;

/** An HTTP status: too many requests. What was refused so was not done. */
export const TOO_MANY_REQUESTS = 429;

/** The run has already ended, so it cannot be canceled. */
export const TASK_ALREADY_COMPLETED = 10121;

/** Known business codes (docs/service.md: Errors, rule 3). */
export const EXPLANATIONS: Readonly<Record<number, Explanation>> = {
	[NOT_AUTHORIZED]: WRONG_KEY,
	[INVALID_PARAMETER]: ['The service refused a parameter', CORRECT],
	[NO_PERMISSION]: [
		'The API key has no permission for this',
		'Use the API key of an account that may do this, or ask its owner for access.',
	],
	10013: ['The proxy region does not exist', 'Choose a region from the list of proxy regions.'],
	10020: ['The bot is not published', 'Publish the bot in the service, then start it again.'],
	10021: ['The agent bot’s model configuration is incomplete', 'Complete it in the service.'],
	10110: TEMPLATE_NOT_FOUND,
	10176: TEMPLATE_NOT_FOUND,
	[BOT_NOT_FOUND]: [
		'The bot does not exist in this account',
		'Choose a bot from the list. A bot of another account needs the credential of that account.',
	],
	[RUN_NOT_FOUND]: [
		'The run does not exist in this account',
		'Check the run ID. A run of another account needs the credential of that account.',
	],
	[TOO_MANY_RUNNING_TASKS]: [
		'The plan’s limit of running tasks is reached',
		'Wait until another run has ended, or raise the limit of the plan.',
	],
	[TASK_ALREADY_COMPLETED]: ['The run has already ended', 'Read it to see how it ended.'],
	10127: ['Only a paused run can be resumed', 'Resume it while its status is paused.'],
	10142: INPUT_MISSING,
	10143: INPUT_MISSING,
	10879: ['Runs of agent bots cannot be resumed', 'Start the bot again instead.'],
};

/** What a refusal without a known code means, by its HTTP status. Many of these come from a proxy or gateway. */
const STATUSES: typeof EXPLANATIONS = {
	[NOT_AUTHORIZED]: WRONG_KEY,
	403: [
		'The service, or a proxy before it, does not allow this',
		'Check what the API key’s account may do, and whether a proxy or firewall is between this n8n and the service.',
	],
	404: [
		'The service did not find it',
		`Check ${BASE_URL}: it has no path such as /v3. If you gave an ID, check that, too.`,
	],
	407: [
		'A proxy asks who is calling',
		'Ask whoever runs this n8n to set the proxy’s user and password (HTTPS_PROXY).',
	],
	408: TOO_LONG,
	410: ['What was asked for is gone', 'Choose it again from the list; the service has it no more.'],
	413: TOO_LARGE,
	414: TOO_LARGE,
	[TOO_MANY_REQUESTS]: ['The service asks to slow down', 'Try again in a minute.'],
	431: TOO_LARGE,
};

/** How the service may say that it has no V2, or no longer. */
const SWITCHED_OFF = [404, 405, 410, 501];

/** Explains a refusal of a request by its business code, or by its HTTP status where the code is not known. */
export function explain(code: number | undefined, httpStatus: number, path = ''): Explanation {
	const byCode = code === undefined ? undefined : EXPLANATIONS[code];
	const isOff = path.startsWith('/v2/') && SWITCHED_OFF.includes(httpStatus);
	const byStatus = httpStatus >= 500 ? TOO_LONG : STATUSES[httpStatus];
	const unknown: Explanation = ['The service refused the request', CORRECT];
	const explanation = byCode ?? (isOff ? NO_V2 : byStatus) ?? unknown;
	// The service has one code for both. These reports take no key, but a signature (docs/service.md: CLI support).
	const isSigned = /^\/open\/cli\/(tracking|log|feedback)/.test(path);
	return explanation === WRONG_KEY && isSigned ? WRONG_SIGNATURE : explanation;
}
