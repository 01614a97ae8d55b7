import type { INode } from 'n8n-workflow';

import { textAt } from '../../../service/json/json';
import type { Activity, Ledger } from '../batch/ledger';
import { activityOf } from '../sleep/sleepers';
import { watcherOf } from '../sleep/watcher';
import { activeRuns, isAllOver, unstarted } from '../batch/progress';
import type { ShownRun } from './shownRuns';

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
