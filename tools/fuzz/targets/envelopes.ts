import fc from 'fast-check';

import { createClient } from '../../../nodes/BrowserAutomation/service/http/client';
import { ServiceError } from '../../../nodes/BrowserAutomation/service/errors';
import { toPage } from '../../../nodes/BrowserAutomation/service/http/pages';
import { isJsonObject } from '../../../nodes/BrowserAutomation/service/json/json';
import { presentRun } from '../../../nodes/BrowserAutomation/service/runs/runOutput';
import { must, type Target } from '../target';
import { textOf } from './texts';

interface Answer {
	status: number;
	body: string;
	retryAfter: string | undefined;
}

const MEMBERS = ['code', 'msg', 'message', 'data', 'ts', 'time', 'traceId', 'error', 'detail'];
const RUN_MEMBERS = [
	'task_id',
	'id',
	'status',
	'output',
	'output_files',
	'download_files',
	'items',
];

const scalar = fc.oneof(
	fc.constantFrom(0, 1, -1, 401, 10112, 10118, '0', '10118', 'finished', '', null, true, '[', '{}'),
	fc.string({ maxLength: 12 }),
);
const { value } = fc.letrec((tie) => ({
	value: fc.oneof(
		{ maxDepth: 5, depthIdentifier: 'value' },
		scalar,
		fc.array(tie('value'), { maxLength: 4 }),
		fc.dictionary(fc.constantFrom(...MEMBERS, ...RUN_MEMBERS, '__proto__'), tie('value')),
	),
}));
const envelope = fc.record(Object.fromEntries(MEMBERS.map((name) => [name, value])), {
	requiredKeys: [],
});
/** Longer answers take their time in proportion. */
const BODY_MAX_LENGTH = 200_000;

const anyBody = fc.oneof(
	envelope.map((found) => JSON.stringify(found)),
	value.map((found) => JSON.stringify(found)),
	textOf([
		'{"code":',
		'10118',
		'0',
		',"msg":"',
		'"',
		'}',
		'{',
		'[',
		'<html>',
		' ',
		'\n',
		'a',
		'null',
	]),
	fc
		.tuple(value, fc.integer({ min: 1, max: 2_000 }))
		.map(([found, times]) => JSON.stringify({ code: 0, msg: 'x', data: Array(times).fill(found) })),
);

const body = anyBody.filter((text) => text.length <= BODY_MAX_LENGTH);

/** An answer of the service, whatever its status. */
export const envelopes: Target<Answer> = {
	name: 'envelopes',
	inputs: fc.record({
		status: fc.constantFrom(
			200,
			201,
			204,
			301,
			400,
			401,
			403,
			404,
			409,
			429,
			500,
			502,
			503,
			0,
			999,
		),
		body,
		retryAfter: fc.option(textOf(['0', '9', '-', '.', 'e', 'Wed, 21 Oct 2026 07:28:00 GMT'], 50), {
			nil: undefined,
		}),
	}),
	tryInput: async ({ status, body: text, retryAfter }) => {
		const client = createClient({
			baseUrl: 'https://service.example',
			secret: '',
			request: () =>
				Promise.resolve({
					status,
					headers: { 'retry-after': retryAfter },
					bytes: Buffer.from(text),
				}),
			pause: (milliseconds) => {
				must(milliseconds >= 0 && milliseconds <= 120_000, 'a pause is of two minutes at most');
				return Promise.resolve();
			},
		});
		try {
			const payload = await client.send({ method: 'GET', path: '/v3/bots' });
			must(status >= 200 && status < 300, 'only a success gives a payload');
			toPage(payload);
			if (!isJsonObject(payload)) return;
			for (const mode of ['simplified', 'rows', 'raw'] as const)
				presentRun(payload, { output: mode });
		} catch (error) {
			if (!(error instanceof ServiceError)) throw error;
			must(error.message.length < 2_000, 'an error is reported in few words');
			must(error.advice !== '', 'an error says what to do');
		}
	},
};
