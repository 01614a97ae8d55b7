import { randomUUID } from 'node:crypto';
import { isoTime } from './clock';
import type { Clock } from './clock';
import type { JsonObject } from './json';
import { refusals } from './refusal';

/** `waiting` stands for the initial status, whose name is not published. */
export type AssistStatus = 'waiting' | 'cli_finished' | 'cli_error' | 'finished' | 'expired';

interface HumanAssist {
	readonly uuid: string;
	readonly company: string;
	readonly createdAt: number;
	readonly fields: JsonObject;
	status: AssistStatus;
	/** Destroyed when the CLI ends the session. */
	ticket: string | undefined;
}

const COMPLETE_AGAIN: readonly AssistStatus[] = ['cli_finished', 'expired', 'finished'];
const ERROR_AGAIN: readonly AssistStatus[] = ['cli_error', 'cli_finished', 'expired', 'finished'];

/** Human assist sessions (docs/service.md: Human assist session status values). */
export class HumanAssists {
	private sessions = new Map<string, HumanAssist>();

	constructor(private readonly clock: Clock) {}

	reset(): void {
		this.sessions = new Map();
	}

	create(company: string, fields: JsonObject): HumanAssist {
		const session: HumanAssist = {
			uuid: randomUUID(),
			company,
			createdAt: this.clock.now(),
			fields,
			status: 'waiting',
			ticket: randomUUID(),
		};
		this.sessions.set(session.uuid, session);
		return session;
	}

	/** Idempotent once the session is cli_finished, expired or finished by the viewer. */
	complete(company: string, uuid: string): HumanAssist {
		return this.end(company, uuid, 'cli_finished', COMPLETE_AGAIN);
	}

	/** Idempotent once the session is cli_error, cli_finished, expired or finished by the viewer. */
	reportError(company: string, uuid: string): HumanAssist {
		return this.end(company, uuid, 'cli_error', ERROR_AGAIN);
	}

	/** What the viewer or the passing of time does to a session. */
	set(uuid: string, status: AssistStatus): boolean {
		const session = this.sessions.get(uuid);
		if (session) session.status = status;
		return session !== undefined;
	}

	show(session: HumanAssist, serviceUrl: string): JsonObject {
		const platform = session.fields['os_type'];
		const known = typeof platform === 'string' && platform !== '';
		return {
			uuid: session.uuid,
			status: session.status,
			ticket: session.ticket ?? null,
			objective: session.fields['objective'] ?? null,
			viewer_url: `${serviceUrl}/sandbox/pages/assist/${session.uuid}`,
			ffmpeg_download_url: known ? `${serviceUrl}/sandbox/pages/packages/ffmpeg-${platform}` : null,
			ffmpeg_version: known ? '7.1' : null,
			created_at: isoTime(session.createdAt),
		};
	}

	private end(
		company: string,
		uuid: string,
		status: AssistStatus,
		again: readonly AssistStatus[],
	): HumanAssist {
		const session = this.sessions.get(uuid);
		if (session?.company !== company) throw refusals.missing('human assist session');
		if (session.status === 'waiting') session.status = status;
		else if (!again.includes(session.status)) {
			throw refusals.parameter(`the session is already ${session.status}`);
		}
		session.ticket = undefined;
		return session;
	}
}
