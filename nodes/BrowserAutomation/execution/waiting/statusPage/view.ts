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

/** What the status page tells now, with the runs that it shows, and the outcome of what the person asked for. */
export function viewOf(
	ledger: Ledger,
	runs: ShownRun[],
	place: { node: INode; workflowName: string | undefined; executionUrl: string },
	notice?: string,
) {
	const open = activeRuns(ledger);
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
		isDone: isAllOver(ledger),
		runs,
		activity: activityOf(ledger),
		notice,
		diagnostics: diagnosticsOf(ledger, node),
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

/** Facts for whoever is asked for help, a line each; no secrets. */
function diagnosticsOf(ledger: Ledger, node: INode): string[] {
	const { executionId, runIndex, waitMethod, api, begunAt, deadline, sleep, entries } = ledger;
	const { lookedAt, calledBackAt, refusedAt } = activityOf(ledger);
	const items = entries.slice(0, ITEMS_TOLD).map(({ taskId = 'no run', status, refusal }, item) => {
		const state = refusal === undefined ? (status ?? 'not started') : 'refused';
		return `item ${item}: ${taskId}, ${state}`;
	});
	return [
		`execution ${executionId}, round ${runIndex}, now ${dated(Date.now())}`,
		`${node.type} version ${node.typeVersion}`,
		`waits by ${waitMethod} for ${api} runs, from ${dated(begunAt)} to ${dated(deadline)}`,
		`last look ${dated(lookedAt)}, next look ${dated(sleep?.date)}`,
		`last callback ${dated(calledBackAt)}, last refusal ${dated(refusedAt)}`,
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
export interface ShownRun extends Partial<ReturnType<typeof detailsOf>> {
	taskId?: string | undefined;
	status: RunStatus | 'refused';
	input: Array<[string, string]>;
	/** Why it cannot be read, or was never started. */
	problem?: string | undefined;
}

/** The most urgent first. */
const ORDER = 'paused pausing running created unknown refused failed canceled finished'.split(' ');

function byUrgency(one: ShownRun, other: ShownRun): number {
	return ORDER.indexOf(one.status) - ORDER.indexOf(other.status);
}

/**
 * Reads how the runs stand, noting it in the ledger, and the details of the most urgent ones, which are shown.
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

async function withDetails(node: INode, client: ServiceClient, ledger: Ledger, shown: ShownRun) {
	const { taskId } = shown;
	if (taskId === undefined || shown.status === 'refused') return shown;
	const read = await attempt(readRun(client, runApi(ledger.api), taskId));
	if (!read.ok) {
		const why = failureText(node, read.error);
		return { ...shown, problem: `It cannot be read at the moment: ${why}` };
	}
	const status = toRunStatus(read.value.status);
	noteStatuses(ledger, new Map([[taskId, status]]));
	return { taskId, status, ...detailsOf(read.value) };
}

/** What the service tells of a run. Times in milliseconds since 1970. */
function detailsOf(run: JsonObject) {
	return {
		botName: textAt(run, 'bot_name'),
		input: inputOf(run),
		createdAt: known(Date.parse(textAt(run, 'created_at') ?? '')),
		/** What it has used so far. */
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

/** The input that the service accepted, shortened: an object in V3, `a=1; b=2` in V2 (docs/service.md: Task). */
function inputOf(run: JsonObject): Array<[string, string]> {
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
