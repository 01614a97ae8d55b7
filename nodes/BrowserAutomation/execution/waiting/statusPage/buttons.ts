import { attempt } from '../../../service/attempt';
import type { ServiceClient } from '../../../service/http/client';
import { textAt } from '../../../service/json/json';
import { cancelRun } from '../../../service/runs/oneRun';
import { runApi } from '../../../service/runs/runApi';
import type { Ledger } from '../batch/ledger';
import { openEntries } from './openEntries';

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
	if (textAt(form, 'action') === 'cancelAll') {
		return { notice: '', cancelsAll: true };
	}
	const api = runApi(ledger.api);
	const canceled = textAt(form, 'cancel');
	if (canceled !== undefined) {
		return await act(ledger, canceled, 'canceled', async () => {
			await cancelRun(await connect(), api, canceled);
		});
	}
	const resumed = textAt(form, 'resume');
	if (resumed === undefined) return { notice: '', cancelsAll: false };
	return await act(ledger, resumed, 'resumed', async () => {
		await (await connect()).send(api.resumeRequest(resumed));
	});
}

async function act(
	ledger: Ledger,
	taskId: string,
	done: string,
	send: () => Promise<void>,
): Promise<Pressed> {
	if (!openEntries(ledger).some((entry) => entry.taskId === taskId)) {
		return { notice: `Run ${taskId} is not one of the open runs.`, cancelsAll: false };
	}
	const sent = await attempt(send);
	if (sent.ok) return { notice: `Run ${taskId} was ${done}.`, cancelsAll: false };
	return { notice: `Run ${taskId} was not ${done}.`, cancelsAll: false, refusal: sent.error };
}
