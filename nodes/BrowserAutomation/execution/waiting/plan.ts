import { callbackObstacle } from '../../service/callback';
import { InputError } from '../../service/errors';
import type { WaitMode } from '../../fields/waiting';

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
	/** Whether n8n’s engine can wake executions of this workflow. */
	engineSleeps: boolean;
	/** How long a callback URL is at the most beside the resume URL, in characters. */
	callbackExtra: number;
}

/** How to wait, and what the user should know about it. */
export interface WaitPlan {
	/**
	 * Asleep until a callback, with looks by n8n's clock; where none can come, asleep between looks;
	 * where n8n cannot wake the execution, asking in place; or not at all.
	 */
	way: 'callback' | 'clock' | 'inPlace' | 'none';
	hint?: string;
}

interface Obstacle {
	/** The end of the sentence "No callback can wake this execution: …". */
	reason: string;
	remedy: string;
	/** What is left to do. */
	way: 'clock' | 'inPlace';
	/** Whether the user should be told, where the node has chosen the way itself. */
	surprising: boolean;
}

/**
 * Chooses how to wait.
 *
 * @throws InputError when callbacks were asked for and none could wake the execution
 */
export function planWaiting(circumstances: Circumstances): WaitPlan {
	const { mode } = circumstances;
	if (mode === 'none') return { way: mode };
	const obstacle = obstacleToCallbacks(circumstances);
	if (obstacle === undefined) return { way: mode === 'poll' ? 'clock' : 'callback' };
	if (mode === 'sleep') {
		throw new InputError(
			`No callback can wake this execution: ${obstacle.reason}`,
			obstacle.remedy,
		);
	}
	const { way } = obstacle;
	if (mode === 'poll' || !obstacle.surprising) return { way };
	return {
		way,
		hint: `The runs are polled, because no callback can come: ${obstacle.reason}. ${obstacle.remedy}`,
	};
}

function obstacleToCallbacks(circumstances: Circumstances): Obstacle | undefined {
	const { resumeUrl, serviceUrl } = circumstances;
	if (circumstances.runsAsTool) {
		return {
			reason: 'this AI agent cannot wait for tools that sleep',
			remedy: 'Choose Automatic, which polls here.',
			way: 'inPlace',
			surprising: false,
		};
	}
	if (!circumstances.engineSleeps || resumeUrl === undefined) {
		return {
			reason: 'this n8n cannot wake executions of this workflow',
			remedy: 'Choose Poll or Automatic.',
			way: 'inPlace',
			surprising: false,
		};
	}
	if (circumstances.attaches) {
		return {
			reason: 'a run that exists already can be given no callback',
			remedy: 'Choose Poll or Automatic.',
			way: 'clock',
			surprising: false,
		};
	}
	if (circumstances.callbackTaken) {
		return {
			reason: 'a callback it needs is set to another address under Notify',
			remedy:
				'Remove Completion Callback URL (and Status Callback URL with Also Wake When Paused), or choose Poll or Automatic.',
			way: 'clock',
			surprising: false,
		};
	}
	const longest = `${resumeUrl}${'x'.repeat(circumstances.callbackExtra)}`;
	const obstacle = callbackObstacle(longest, serviceUrl);
	if (obstacle === undefined) return undefined;
	return {
		reason: `n8n’s webhook address ${new URL(resumeUrl).origin} ${obstacle}`,
		remedy: 'Set N8N_WEBHOOK_URL (in n8n 1 WEBHOOK_URL) to the public address of n8n.',
		way: 'clock',
		surprising: true,
	};
}
