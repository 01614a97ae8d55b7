import type { INode } from 'n8n-workflow';

import { attempt } from '../../../service/attempt';
import type { ServiceClient } from '../../../service/http/client';
import { isJsonObject, textAt, type JsonObject, type JsonValue } from '../../../service/json/json';
import { readRun } from '../../../service/runs/oneRun';
import { runApi, type RunStatus, toRunStatus } from '../../../service/runs/runApi';
import { numberIn } from '../../../fields/field';
import { failureText } from '../../failures';
import type { Ledger } from '../batch/ledger';
import { noteStatuses, openTaskIds, refreshRuns } from '../batch/progress';

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
	taskId?: string;
	status: RunStatus | 'refused';
	botName?: string;
	/** What the run was asked for: names and shortened values. */
	input: Array<[string, string]>;
	/** When it was created, in milliseconds since 1970. */
	createdAt?: number;
	/** What it has used so far, where the service tells. */
	credit?: number;
	steps?: number;
	liveView?: string;
	log?: string;
	/** Why it cannot be read, or was never started. */
	problem?: string;
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
export async function readShownRuns(
	node: INode,
	client: ServiceClient,
	ledger: Ledger,
): Promise<ShownRun[]> {
	if (ledger.entries.length > RUNS_SHOWN) await refreshRuns(client, ledger, openTaskIds(ledger));
	const shown = await Promise.all(
		knownRuns(node, ledger).map(async (known) => ({
			...known,
			...(await readDetails(node, client, ledger, known)),
		})),
	);
	return shown.sort(byUrgency);
}

/** What is known of the most urgent runs without asking the service. */
export function knownRuns(node: INode, { entries }: Ledger): ShownRun[] {
	const begun = entries.filter(({ request }) => request === undefined);
	const known = begun.map(({ taskId, status = 'unknown', refusal }): ShownRun => ({
		...(taskId !== undefined && { taskId }),
		status: refusal === undefined ? status : 'refused',
		input: [],
		...(refusal !== undefined && { problem: failureText(node, refusal.message) }),
	}));
	return known.sort(byUrgency).slice(0, RUNS_SHOWN);
}

async function readDetails(
	node: INode,
	client: ServiceClient,
	ledger: Ledger,
	{ taskId, status: known }: ShownRun,
): Promise<Partial<ShownRun>> {
	if (taskId === undefined || known === 'refused') return {};
	const read = await attempt(readRun(client, runApi(ledger.api), taskId));
	if (!read.ok) {
		return { problem: `It cannot be read at the moment: ${failureText(node, read.error)}` };
	}
	const run = read.value;
	const status = toRunStatus(run.status);
	noteStatuses(ledger, new Map([[taskId, status]]));
	const liveView = webAddress(run.live_url_info, 'live_url') ?? webAddress(run, 'live_url');
	const log = webAddress(run, 'log_detail_url');
	const botName = textAt(run, 'bot_name');
	const createdAt = Date.parse(textAt(run, 'created_at') ?? '');
	const credit = numberIn(run.credit);
	return {
		status,
		input: inputOf(run),
		...(botName !== undefined && { botName }),
		...(!Number.isNaN(createdAt) && { createdAt }),
		...(Number.isFinite(credit) && { credit }),
		...(Array.isArray(run.steps) && { steps: run.steps.length }),
		...(liveView !== undefined && { liveView }),
		...(log !== undefined && { log }),
	};
}

/** Only what a browser opens as a web page: a link to anything else could run in the page. */
function webAddress(record: JsonValue | undefined, key: string): string | undefined {
	const text = textAt(record, key);
	return /^https?:\/\//i.test(text ?? '') ? text : undefined;
}

/** The input that the service accepted: an object in V3, `a=1; b=2` in V2 (docs/service.md: Task). */
function inputOf(run: JsonObject): ShownRun['input'] {
	const pairs: Array<[string, JsonValue]> = isJsonObject(run.input)
		? Object.entries(run.input)
		: pairsIn(textAt(run, 'input_parameters') ?? '');
	return pairs
		.slice(0, INPUTS_SHOWN)
		.map(([name, value]) => [shortened(name), isSecretName(name) ? '••••••' : shortened(value)]);
}

function pairsIn(text: string): Array<[string, string]> {
	return text
		.split('; ')
		.filter((pair) => pair.includes('='))
		.map((pair) => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)]);
}

function shortened(value: JsonValue): string {
	const text = typeof value === 'string' ? value : JSON.stringify(value);
	return text.length > INPUT_LENGTH ? `${text.slice(0, INPUT_LENGTH)}…` : text;
}
