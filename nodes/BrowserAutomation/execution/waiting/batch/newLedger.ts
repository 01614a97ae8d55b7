import type { IExecuteFunctions } from 'n8n-workflow';

import { isJsonObject } from '../../../service/json/json';
import type { RunApiName } from '../../../service/runs/runs';
import type { Caller } from '../../caller';
import { hostOf, runIndexOf } from '../../host';
import type { Preparation, WaitSettings } from '../../preparation';
import { newSecret } from '../secret';
import { LEDGER_VERSION, toRefusal, type Entry, type Ledger } from './ledger';
import { callerWaitsUntil, callbackUrlFor, chooseWaitMethod } from './waitMethod';

/** Makes a new ledger. @returns also a hint for the user, for where nothing watches the runs of the suspended execution */
export function newLedger(
	context: IExecuteFunctions,
	api: RunApiName,
	{ mode, settings, items, unknownFields }: Preparation,
	serviceUrl: string,
	caller: Caller | undefined,
) {
	const entries = items.map((item): Entry => {
		const { inputKey } = item;
		return 'error' in item ? { inputKey, refusal: toRefusal(item.error) } : item;
	});
	const now = Date.now();
	const keys = { statusPageKey: newSecret(), callbackKey: newSecret() };
	const { resumeUrl, executionId, answersBy = Infinity } = hostOf(context);
	const startsRuns = entries.every(({ taskId }) => taskId === undefined);
	const goesElsewhere = entries.some((entry) => isCallbackTaken(entry, settings));
	const wantsCallback = startsRuns && !goesElsewhere && now >= callerWaitsUntil(caller);
	// The longest of all: no item has a higher index.
	const callbackUrl =
		wantsCallback && resumeUrl !== undefined
			? callbackUrlFor(resumeUrl, items.length, keys.callbackKey)
			: undefined;
	const plan = chooseWaitMethod(mode, serviceUrl, resumeUrl, callbackUrl);
	const ledger: Ledger = {
		version: LEDGER_VERSION,
		executionId,
		runIndex: runIndexOf(context),
		resumes: 0,
		...keys,
		waitMethod: plan.waitMethod,
		api,
		settings,
		...(startsRuns && { startsSince: now }),
		begunAt: now,
		deadline: Math.min(now + settings.limitMs, answersBy),
		activity: {},
		...(unknownFields.length > 0 && { unknownFields }),
		entries,
	};
	return { ledger, hint: plan.hint };
}

/** Whether the user has a callback sent elsewhere that this node would need. */
function isCallbackTaken({ request }: Entry, { isPauseEnough }: WaitSettings): boolean {
	if (!isJsonObject(request?.body)) return false;
	const { callback_url: completed, status_change_callback_url: changed } = request.body;
	return completed !== undefined || (isPauseEnough && changed !== undefined);
}
