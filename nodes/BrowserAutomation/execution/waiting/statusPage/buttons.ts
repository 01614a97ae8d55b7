import type { ServiceClient } from '../../../service/http/client';
import { textAt } from '../../../service/json/json';
import { cancelRun } from '../../../service/runs/oneRun';
import { runApi, type RunApi } from '../../../service/runs/runApi';
import type { Ledger } from '../batch/ledger';
import { activeRuns } from '../batch/progress';

/** What a button has done, for the page. */
export interface Pressed {
	notice: string;
	/** Whether all runs are to be canceled: the execution does that itself, when it is woken. */
	cancelsAll: boolean;
	/** Why the service did not do as asked. */
	refusal?: unknown;
}

/** Gives a client for the service; rejects when it cannot. */
type Connect = () => Promise<ServiceClient>;

/**
 * Does what a button of the status page says: cancel or resume one run; or cancel all of them and the
 * starts still to be sent. Never throws.
 *
 * @param form what the page's form sent, e.g. `{ cancel: '7' }` or `{ action: 'cancelAll' }`
 */
export async function press(ledger: Ledger, form: unknown, connect: Connect): Promise<Pressed> {
	const cancelsAll = textAt(form, 'action') === 'cancelAll';
	const button = BUTTONS.find(({ name }) => textAt(form, name) !== undefined);
	if (cancelsAll || button === undefined) return { notice: '', cancelsAll };
	const taskId = textAt(form, button.name) ?? '';
	if (!activeRuns(ledger).some((run) => run.taskId === taskId)) {
		return { notice: `Run ${taskId} is not one of the open runs.`, cancelsAll };
	}
	try {
		await button.send(await connect(), runApi(ledger.api), taskId);
		return { notice: `Run ${taskId} was ${button.done}.`, cancelsAll };
	} catch (refusal) {
		return { notice: `Run ${taskId} was not ${button.done}.`, cancelsAll, refusal };
	}
}

/** The buttons of a run, by the name that they have in the page's form. */
const BUTTONS = [
	{ name: 'cancel', done: 'canceled', send: cancelRun },
	{
		name: 'resume',
		done: 'resumed',
		send: async (client: ServiceClient, api: RunApi, taskId: string) => {
			await client.send(api.resumeRequest(taskId));
		},
	},
];
