import type { Automation } from './automations/automation';
import { REGIONS } from './automations/regions';
import { requirePublicAddress } from './callbackAddress';
import type { Callbacks } from './callbacks';
import type { FaultRules } from './faults';
import { textAt } from './json';
import type { JsonObject } from './json';
import type { ApiKey } from './keys';
import type { Lifecycle } from './lifecycle';
import { refusals } from './refusal';
import type { Run, Runs } from './runs';

export interface StartRequest {
	readonly automation: Automation;
	readonly key: ApiKey;
	readonly input: () => JsonObject;
	readonly proxyRegion: string | undefined;
	/** What was sent: where to call back, and the browser profile to use, a new one when left out. */
	readonly body: JsonObject;
}

/** Starts runs, after everything that can be refused has been checked. */
export class Starter {
	constructor(
		private readonly runs: Runs,
		private readonly lifecycle: Lifecycle,
		private readonly callbacks: Callbacks,
		private readonly faults: FaultRules,
		private readonly allowLocalCallbacks: boolean,
	) {}

	/** Errors: 10020, 10021, 10013, 10142, 10143, 10118, 99001. */
	async start(request: StartRequest): Promise<Run> {
		const { automation, key, proxyRegion, body } = request;
		const callbackUrl = textAt(body, 'callback_url');
		const statusCallbackUrl = textAt(body, 'status_change_callback_url');
		if (automation.publishedAt === undefined) throw refusals.notPublished();
		if (!automation.ready) throw refusals.incompleteModel();
		if (proxyRegion !== undefined && !REGIONS.some(({ code }) => code === proxyRegion)) {
			throw refusals.unknownRegion(proxyRegion);
		}
		const input = request.input();
		if (!this.allowLocalCallbacks) {
			for (const url of [callbackUrl, statusCallbackUrl]) {
				if (url !== undefined) requirePublicAddress(url);
			}
		}
		const limit = key.concurrency;
		if (limit !== undefined && this.runs.countActive(key.key, key.company) >= limit) {
			throw refusals.tooManyRuns();
		}
		const hurried = this.faults.callbackFaultsOf(key.key).early === true;
		const run = this.runs.add({
			automation,
			company: key.company,
			key: key.key,
			input,
			createdAt: Date.now(),
			proxyRegion,
			callbackUrl,
			statusCallbackUrl,
			hurried,
			profileId: textAt(body, 'profile_id'),
		});
		this.lifecycle.begin(run);
		if (hurried) {
			await this.lifecycle.untilRest(run);
			await this.callbacks.attempted(run);
		}
		return run;
	}
}
