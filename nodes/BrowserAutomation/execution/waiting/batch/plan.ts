import { callbackObstacle } from '../../../service/events/callback';
import type { WaitMode } from '../../../fields/waiting';

/** What decides how to wait. */
export interface Circumstances {
	mode: WaitMode;
	/** The address at which n8n wakes this execution; undefined where n8n has none. */
	resumeUrl: string | undefined;
	serviceUrl: string;
	/** Whether the node runs as a tool of an agent that cannot wait for sleeping tools. */
	runsAsTool: boolean;
	/** Whether the user has a callback sent elsewhere that would have to come to n8n. */
	callbackTaken: boolean;
	/** Whether the runs exist already, so that they can be given no callback. */
	attaches: boolean;
	/** Whether somebody waits for the results, so that the execution does not sleep at first. */
	isAwaited: boolean;
	/** Whether n8n’s engine can wake executions of this workflow. */
	engineSleeps: boolean;
	/** How long a callback URL is at the most beside the resume URL, in characters. */
	callbackExtra: number;
}

/** How to wait, and what the user should know about it. */
export interface WaitPlan {
	/**
	 * Asleep, with callbacks (`callback`) or where none can come without (`clock`); where n8n cannot wake
	 * the execution, asking in place; or not at all.
	 */
	way: 'callback' | 'clock' | 'inPlace' | 'none';
	hint?: string;
}

interface Obstacle {
	/** What is left to do. */
	way: 'clock' | 'inPlace';
	/** What the user should know where nothing watches the runs of a sleeping execution. */
	hint?: string;
}

/** Chooses how to wait. */
export function planWaiting(circumstances: Circumstances): WaitPlan {
	const { mode, engineSleeps, resumeUrl, runsAsTool } = circumstances;
	if (mode === 'none') return { way: mode };
	if (mode === 'poll' || runsAsTool || !engineSleeps || resumeUrl === undefined) {
		return { way: 'inPlace' };
	}
	return obstacleToCallbacks(circumstances, resumeUrl) ?? { way: 'callback' };
}

function obstacleToCallbacks(
	{ serviceUrl, attaches, callbackTaken, isAwaited, callbackExtra }: Circumstances,
	resumeUrl: string,
): Obstacle | undefined {
	if (attaches || callbackTaken || isAwaited) return { way: 'clock' };
	const longest = `${resumeUrl}${'x'.repeat(callbackExtra)}`;
	const obstacle = callbackObstacle(longest, serviceUrl);
	if (obstacle === undefined) return undefined;
	const { origin } = new URL(resumeUrl);
	return {
		way: 'clock',
		hint: `n8n checks the runs every few minutes: the service cannot call it back, because n8n’s webhook address ${origin} ${obstacle}, and n8n does not reach that address itself. Set N8N_WEBHOOK_URL (WEBHOOK_URL in n8n 1) to the public address of this n8n.`,
	};
}
