import type { INode } from 'n8n-workflow';

import { numberIn } from '../../../fields/parseValue';
import { attempt } from '../../../service/attempt';
import type { ServiceClient } from '../../../service/http/client';
import { isJsonObject, textAt, type JsonObject, type JsonValue } from '../../../service/json/json';
import { readRun } from '../../../service/runs/oneRun';
import { runApi, type RunStatus, toRunStatus } from '../../../service/runs/runApi';
import { shorten } from '../../../service/schema/wording';
import { failureText } from '../../failures';
import {
	activeRuns,
	type Activity,
	isAllOver,
	type Ledger,
	noteStatuses,
	openTaskIds,
	refreshRuns,
	unstarted,
} from '../batch/ledger';
import { activityOf } from '../sleep/sleepers';
import { watcherOf } from '../sleep/watcher';

/** Everything that the status page tells. Times in milliseconds since 1970. */
export type StatusPage = ReturnType<typeof viewOf>;

/**
 * What the status page tells now.
 *
 * @param runs those that are shown
 * @param place `workflowName`: undefined where n8n does not tell it; `executionUrl`: in n8n's editor
 * @param notice the outcome of what the person asked for
 */
export function viewOf(
	ledger: Ledger,
	runs: ShownRun[],
	place: { node: INode; workflowName: string | undefined; executionUrl: string },
	notice?: string,
) {
	const open = activeRuns(ledger);
	const activity = activityOf(ledger);
	const { node, workflowName = 'The workflow', executionUrl } = place;
	return {
		name: nameOf(node, runs),
		workflowName,
		executionUrl,
		now: Date.now(),
		since: ledger.since,
		deadline: ledger.deadline,
		/** When n8n's clock looks at the runs the next time. */
		nextLook: ledger.sleep?.date,
		items: ledger.entries.length,
		open: open.length,
		unstarted: unstarted(ledger).length,
		/** Whether starts wait for a free slot of the plan; and the place in line, where this process knows it. */
		isFull: ledger.queuedAt !== undefined,
		inLine: watcherOf(ledger)?.line.describe(ledger.executionId),
		paused: open.filter(({ status }) => status === 'paused').length,
		isOver: isAllOver(ledger),
		runs,
		activity,
		notice,
		/** Facts for whoever is asked for help, a line each; no secrets. */
		diagnostics: diagnosticsOf(ledger, activity, node),
	};
}

/** The bot that all shown runs are of, else the one that was chosen in the node, else the node. */
function nameOf({ name, parameters }: INode, runs: ShownRun[]): string {
	const [botName, ...others] = new Set(runs.map((run) => run.botName));
	if (botName !== undefined && others.length === 0) return botName;
	const chosen = Object.values(parameters).map((value) => textAt(value, 'cachedResultName'));
	return chosen.find((found) => found !== undefined) ?? name;
}

/** How many items are named in the diagnostics. */
const ITEMS_TOLD = 200;

function diagnosticsOf(ledger: Ledger, activity: Activity, node: INode): string[] {
	const { executionId, runIndex, way, api, begunAt, deadline, sleep, entries } = ledger;
	const items = entries.slice(0, ITEMS_TOLD).map(({ taskId = 'no run', status, refusal }, item) => {
		const state = refusal === undefined ? (status ?? 'not started') : 'refused';
		return `item ${item}: ${taskId}, ${state}`;
	});
	return [
		`execution ${executionId}, round ${runIndex}, now ${dated(Date.now())}`,
		`${node.type} version ${node.typeVersion}`,
		`waits by ${way} for ${api} runs, from ${dated(begunAt)} to ${dated(deadline)}`,
		`last look ${dated(activity.lookedAt)}, next look ${dated(sleep?.date)}`,
		`last callback ${dated(activity.calledBackAt)}, last refusal ${dated(activity.refusedAt)}`,
		...items,
		...(entries.length > ITEMS_TOLD ? [`and ${entries.length - ITEMS_TOLD} more items`] : []),
	];
}

function dated(time: number | undefined): string {
	return time === undefined ? 'not known' : new Date(time).toISOString();
}

/** How many runs are shown at most, and read at once. */
const RUNS_SHOWN = 20;

/** How much is shown of what a run was asked for. */
const INPUTS_SHOWN = 8;
const INPUT_LENGTH = 120;

/** Inputs with such parts in their names, or such words, may be secrets, and are not shown. */
const SECRET_PART =
	/passw|passphrase|passcode|pwd|secret|token|api.?key|cookie|credential|authoriz|authentic|(credit|debit|bank).?card/i;
const SECRET_WORD =
	/\b(pass|pin|(card|cc)( ?(number|no|num))?|cv[cv]|csc|ssn|iban|bic|auth|[th]?otp|mfa|[2m]fa|bearer|(access|auth|backup|confirmation|login|otp|recovery|security|sms|verification) ?code)\d*\b|^code$/i;

function isSecretName(name: string): boolean {
	const words = name
		.replace(/([a-z\d])([A-Z])/g, '$1 $2')
		.replace(/([A-Z])([A-Z][a-z])/g, '$1 $2')
		.replace(/[^a-z\d]+/gi, ' ');
	return SECRET_PART.test(name) || SECRET_WORD.test(words.trim());
}

/** A run as the status page shows it. */
export interface ShownRun {
	taskId?: string | undefined;
	status: RunStatus | 'refused';
	botName?: string | undefined;
	/** What the run was asked for: names and shortened values. */
	input: Array<[string, string]>;
	/** When it was created, in milliseconds since 1970. */
	createdAt?: number | undefined;
	/** What it has used so far, where the service tells. */
	credit?: number | undefined;
	steps?: number | undefined;
	liveView?: string | undefined;
	log?: string | undefined;
	/** Why it cannot be read, or was never started. */
	problem?: string | undefined;
}

/** The most urgent first. */
const ORDER = 'paused pausing running created unknown refused failed canceled finished'.split(' ');

function byUrgency(one: ShownRun, other: ShownRun): number {
	return ORDER.indexOf(one.status) - ORDER.indexOf(other.status);
}

/**
 * Reads how the runs stand, noting it in the ledger, and the details of those that are shown: the
 * most urgent ones.
 *
 * @throws ServiceError, ConnectionError or CanceledError when the service cannot be asked about many runs
 */
export async function readShownRuns(node: INode, client: ServiceClient, ledger: Ledger) {
	if (ledger.entries.length > RUNS_SHOWN) await refreshRuns(client, ledger, openTaskIds(ledger));
	const known = knownRuns(node, ledger);
	const shown = known.map(async (run) => await withDetails(node, client, ledger, run));
	return (await Promise.all(shown)).sort(byUrgency);
}

/** What is known of the most urgent runs without asking the service. */
export function knownRuns(node: INode, { entries }: Ledger): ShownRun[] {
	const begun = entries.filter(({ request }) => request === undefined);
	const known = begun.map(({ taskId, status = 'unknown', refusal }): ShownRun => ({
		taskId,
		status: refusal === undefined ? status : 'refused',
		input: [],
		problem: refusal && failureText(node, refusal.message),
	}));
	return known.sort(byUrgency).slice(0, RUNS_SHOWN);
}

async function withDetails(
	node: INode,
	client: ServiceClient,
	ledger: Ledger,
	shown: ShownRun,
): Promise<ShownRun> {
	const { taskId } = shown;
	if (taskId === undefined || shown.status === 'refused') return shown;
	const read = await attempt(readRun(client, runApi(ledger.api), taskId));
	if (!read.ok) {
		const why = failureText(node, read.error);
		return { ...shown, problem: `It cannot be read at the moment: ${why}` };
	}
	const run = read.value;
	const status = toRunStatus(run.status);
	noteStatuses(ledger, new Map([[taskId, status]]));
	return {
		taskId,
		status,
		botName: textAt(run, 'bot_name'),
		input: inputOf(run),
		createdAt: known(Date.parse(textAt(run, 'created_at') ?? '')),
		credit: known(numberIn(run.credit)),
		steps: Array.isArray(run.steps) ? run.steps.length : undefined,
		liveView: webAddress(run.live_url_info, 'live_url') ?? webAddress(run, 'live_url'),
		log: webAddress(run, 'log_detail_url'),
	};
}

/** A number, unless the service does not tell it. */
function known(number: number): number | undefined {
	return Number.isFinite(number) ? number : undefined;
}

/** Only what a browser opens as a web page: a link to anything else could run in the page. */
function webAddress(record: JsonValue | undefined, key: string): string | undefined {
	const text = textAt(record, key);
	return /^https?:\/\//i.test(text ?? '') ? text : undefined;
}

/** The input that the service accepted: an object in V3, `a=1; b=2` in V2 (docs/service.md: Task). */
function inputOf(run: JsonObject): ShownRun['input'] {
	const listed = (textAt(run, 'input_parameters') ?? '').split('; ');
	const pairs = isJsonObject(run.input)
		? Object.entries(run.input)
		: listed.flatMap((pair): Array<[string, JsonValue]> => {
				const [name = '', ...values] = pair.split('=');
				return values.length === 0 ? [] : [[name, values.join('=')]];
			});
	return pairs
		.slice(0, INPUTS_SHOWN)
		.map(([name, value]) => [shortened(name), isSecretName(name) ? '••••••' : shortened(value)]);
}

function shortened(value: JsonValue): string {
	return shorten(typeof value === 'string' ? value : JSON.stringify(value), INPUT_LENGTH);
}
