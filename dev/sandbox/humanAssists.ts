import { randomUUID } from 'node:crypto';
import { isoTime } from './clock';
import type { JsonObject } from './json';
import { refusals } from './refusal';

/** `waiting` stands for the initial status, whose name is not published. What a viewer ends has others, which nobody needs here. */
type AssistStatus = 'waiting' | 'cli_finished' | 'cli_error';

interface HumanAssist {
	readonly uuid: string;
	readonly company: string;
	readonly createdAt: number;
	readonly fields: JsonObject;
	status: AssistStatus;
	/** Destroyed when the CLI ends the session. */
	ticket: string | undefined;
}

/** Human assist sessions (docs/service.md: Human assist session status values). */
export class HumanAssists {
	private sessions = new Map<string, HumanAssist>();

	reset(): void {
		this.sessions = new Map();
	}

	create(company: string, fields: JsonObject): HumanAssist {
		const session: HumanAssist = {
			uuid: randomUUID(),
			company,
			createdAt: Date.now(),
			fields,
			status: 'waiting',
			ticket: randomUUID(),
		};
		this.sessions.set(session.uuid, session);
		return session;
	}

	/** Idempotent, but for completing what has ended by an error. */
	end(company: string, uuid: string, status: 'cli_finished' | 'cli_error'): HumanAssist {
		const session = this.sessions.get(uuid);
		if (session?.company !== company) throw refusals.missing('human assist session');
		if (status === 'cli_finished' && session.status === 'cli_error') {
			throw refusals.parameter('the session is already cli_error');
		}
		if (session.status === 'waiting') session.status = status;
		session.ticket = undefined;
		return session;
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
}
