import { CanceledError, ServiceError } from '../../../nodes/BrowserAutomation/service/errors';
import type { ServiceRequest } from '../../../nodes/BrowserAutomation/service/http/request';
import type { JsonValue } from '../../../nodes/BrowserAutomation/service/json/json';
import {
	botIdOf,
	readInputSchema,
	readOutputSchema,
} from '../../../nodes/BrowserAutomation/service/runs/schemas';

const [input, output] = [{ title: 'in' }, { title: 'out' }];
const bot = { input_schema: input, output_schema: JSON.stringify(output) };
const refused = new ServiceError('no bot', '', { httpStatus: 400 });
const busy = new ServiceError('busy', '', { httpStatus: 503 });
const stopped = new CanceledError();

/** What is read where the service answers so, and what was asked. */
async function read(answer: JsonValue | Error): Promise<unknown[]> {
	const asked: ServiceRequest[] = [];
	const send = async (request: ServiceRequest): Promise<JsonValue> => {
		asked.push(request);
		if (answer instanceof Error) throw answer;
		return answer;
	};
	const client = { baseUrl: 'https://service.test', send };
	const schemas = await Promise.all(
		[readInputSchema(client, '/v3/bots/7'), readOutputSchema(client, '7')].map(
			async (reading) => await reading.catch((error: unknown) => error),
		),
	);
	expect(asked).toEqual([
		{ method: 'GET', path: '/v3/bots/7', once: true },
		{ method: 'GET', path: '/v3/bots/7' },
	]);
	return schemas;
}

it.each<[string, JsonValue | Error, unknown[]]>([
	['as it has them', bot, [input, output]],
	['as none where it has none', {}, [undefined, undefined]],
	['as none where the service tells nothing of it', refused, [undefined, undefined]],
	['again later, but for the input, which the service checks', busy, [undefined, busy]],
	['no longer after a stop', stopped, [stopped, stopped]],
])('the schemas of a bot are read %s', async (_, answer, expected) => {
	expect(await read(answer)).toEqual(expected);
});

it('a run names its bot, a task its workflow', () => {
	expect(botIdOf({ bot_id: '7', workflow_id: '8' })).toBe('7');
	expect(botIdOf({ workflow_id: '8' })).toBe('8');
});
