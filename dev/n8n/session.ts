import { fetchAlone } from '../fetchAlone';
import { isRecord } from './json';
import { waitUntil } from './waitUntil';

/** An answer of n8n other than success. */
export class N8nError extends Error {
	constructor(
		message: string,
		readonly httpStatus: number,
	) {
		super(message);
	}
}

/** Whom the first user of a new n8n is set up as. */
export const demoOwner = {
	email: 'owner@example.com',
	password: 'Automation-1',
	firstName: 'Olive',
	lastName: 'Owner',
};

/** The login cookie is bound to this ID of the browser. */
const browserId = 'browser-automation';
const requestLimit = 60_000;

/** With this n8n refuses requests while its check of the database fails. */
const NOT_READY = 'Database is not ready';

/** A logged-in user of an n8n's internal REST interface. */
export class Session {
	constructor(
		readonly url: string,
		readonly cookie: string,
	) {}

	/** Logs the owner in, and sets him up first on a new n8n. */
	static async signIn(url: string): Promise<Session> {
		const anonymous = new Session(url, '');
		const { email, password } = demoOwner;
		const response = await whenReady(async () => {
			const login = { emailOrLdapLoginId: email, password };
			const known = await anonymous.send('POST', '/login', login);
			const isNew = known.status === 401;
			const answer = isNew ? await anonymous.send('POST', '/owner/setup', demoOwner) : known;
			await openAnswer(answer);
			return answer;
		});
		const cookie = response.headers
			.getSetCookie()
			.map((line) => line.split(';')[0] ?? '')
			.find((pair) => pair.startsWith('n8n-auth='));
		if (cookie === undefined) throw new Error('n8n sent no login cookie');
		return new Session(url, cookie);
	}

	/** Sends a request below `/rest`, and answers with what is in `data`. Throws an N8nError on any refusal. */
	async request(
		method: string,
		address: string,
		body?: object,
		headers?: Record<string, string>,
	): Promise<unknown> {
		return await whenReady(async () => openAnswer(await this.send(method, address, body, headers)));
	}

	/** What n8n knows the user by. */
	get headers(): Record<string, string> {
		const cookie = this.cookie === '' ? {} : { cookie: this.cookie };
		return { 'browser-id': browserId, ...cookie };
	}

	private async send(
		method: string,
		address: string,
		body?: object,
		headers?: Record<string, string>,
	): Promise<Response> {
		const ask = async (): Promise<Response> =>
			await fetchAlone(`${this.url}/rest${address}`, {
				method,
				headers: {
					...this.headers,
					...(body === undefined ? {} : { 'content-type': 'application/json' }),
					...headers,
				},
				...(body === undefined ? {} : { body: JSON.stringify(body) }),
				signal: AbortSignal.timeout(requestLimit),
			});
		// A busy machine resets a connection now and then.
		return method === 'GET' ? await ask().catch(ask) : await ask();
	}
}

/**
 * Sends a request again while n8n refuses all of them because it could not reach its database just
 * now, as it finds under load. It has not looked at such a request.
 */
export async function whenReady<T>(send: () => Promise<T>): Promise<T> {
	const { value } = await waitUntil(
		async () =>
			await send().then(
				(value) => ({ value }),
				(error: unknown) => {
					if (error instanceof N8nError && error.message.includes(NOT_READY)) return undefined;
					throw error;
				},
			),
		{
			timeout: requestLimit,
			interval: 500,
			describe: () => `n8n has not reached its database for ${requestLimit / 1_000} s`,
		},
	);
	return value;
}

async function openAnswer(response: Response): Promise<unknown> {
	const text = await response.text();
	let content: unknown;
	try {
		content = JSON.parse(text);
	} catch {
		content = text;
	}
	if (!response.ok) {
		const message = isRecord(content) ? content.message : undefined;
		throw new N8nError(String(message ?? text.slice(0, 500)), response.status);
	}
	return isRecord(content) && 'data' in content ? content.data : content;
}
