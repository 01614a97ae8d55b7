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
}

/** How to wait, and what the user should know about it. */
export interface WaitPlan {
	way: 'sleep' | 'poll' | 'none';
	hint?: string;
}

interface Obstacle {
	/** The end of the sentence "This execution cannot sleep: …". */
	reason: string;
	remedy: string;
	/** Whether it is worth telling where the node decides by itself. */
	surprising: boolean;
}

/**
 * Chooses between sleeping and polling.
 *
 * @throws InputError when sleeping was asked for and no callback could wake the execution
 */
export function planWaiting(circumstances: Circumstances): WaitPlan {
	const { mode } = circumstances;
	if (mode === 'none' || mode === 'poll') return { way: mode };
	const obstacle = obstacleToSleep(circumstances);
	if (obstacle === undefined) return { way: 'sleep' };
	if (mode === 'sleep') {
		throw new InputError(`This execution cannot sleep: ${obstacle.reason}`, obstacle.remedy);
	}
	if (!obstacle.surprising) return { way: 'poll' };
	return {
		way: 'poll',
		hint: `Polled instead of sleeping: ${obstacle.reason}. ${obstacle.remedy}`,
	};
}

function obstacleToSleep(circumstances: Circumstances): Obstacle | undefined {
	const { resumeUrl, serviceUrl } = circumstances;
	if (circumstances.attaches) {
		return {
			reason: 'a run that exists already can be given no callback',
			remedy: 'Choose Poll or Automatic.',
			surprising: false,
		};
	}
	if (circumstances.runsAsTool) {
		return {
			reason: 'this AI agent cannot wait for tools that sleep',
			remedy: 'Choose Automatic, which polls here.',
			surprising: false,
		};
	}
	if (!circumstances.engineSleeps || resumeUrl === undefined) {
		return {
			reason: 'this n8n cannot wake executions of this workflow',
			remedy: 'Choose Poll or Automatic.',
			surprising: false,
		};
	}
	if (circumstances.callbackTaken) {
		return {
			reason: 'a callback it needs is set to another address under Options',
			remedy:
				'Remove Completion Callback URL (and Status Callback URL with Also Wake When Paused), or choose Poll or Automatic.',
			surprising: false,
		};
	}
	const obstacle = callbackObstacle(resumeUrl, serviceUrl);
	if (obstacle === undefined) return undefined;
	return {
		reason: `n8n’s webhook address ${new URL(resumeUrl).origin} ${obstacle}`,
		remedy: 'Set the environment variable WEBHOOK_URL of n8n to its public address.',
		surprising: true,
	};
}
