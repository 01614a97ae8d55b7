import Ajv2020, { type ValidateFunction } from 'ajv/dist/2020';
import type { FastifyInstance } from 'fastify';
import type { AddedAutomation } from './automations/automation';
import type {
	ControlName,
	KeySetting,
	OutputSetting,
	RequestFilter,
	RunMove,
	SandboxControls,
	SeedRuns,
} from './control';
import type { DurationSetting } from './durations';
import type { CallbackFaults, Fault } from './faults';
import { ASSIST_STATUSES } from './humanAssists';
import type { AssistStatus } from './humanAssists';
import { RUN_STATUSES } from './runs';

const text = { type: 'string' } as const;
const wholeNumber = { type: 'integer', minimum: 0 } as const;
const anyNumber = { type: 'number' } as const;
const yesNo = { type: 'boolean' } as const;
const duration = { type: ['integer', 'null'], minimum: 0 } as const;
const runStatus = { enum: RUN_STATUSES } as const;

const ajv = new Ajv2020({ allowUnionTypes: true, strictRequired: false });

type Control = (argument: unknown) => Promise<unknown>;

/** Offers the controls over HTTP: `POST /sandbox/<name>` with a JSON object, or GET without one. */
export function addControlRoutes(app: FastifyInstance, controls: SandboxControls): void {
	const table = controlTable(controls);
	for (const [name, control] of Object.entries(table)) {
		app.route({
			method: ['GET', 'POST'],
			url: `/sandbox/${name}`,
			handler: async (request, reply) => {
				reply.header('content-type', 'application/json');
				try {
					const argument: unknown = Buffer.isBuffer(request.body)
						? JSON.parse(request.body.toString('utf8'))
						: {};
					return reply.send(JSON.stringify(await control(argument)) ?? '');
				} catch (error) {
					const message = error instanceof Error ? error.message : String(error);
					return reply.code(400).send(JSON.stringify({ error: message }));
				}
			},
		});
	}
}

function controlTable(controls: SandboxControls): Record<ControlName, Control> {
	return {
		info: () => controls.info(),
		reset: () => controls.reset(),
		requests: checked<RequestFilter>(
			{ method: text, path: text, operation: text, key: text },
			[],
			(filter) => controls.requests(filter),
		),
		load: () => controls.load(),
		clearRequests: () => controls.clearRequests(),
		setKey: checked<KeySetting>(
			{ key: text, concurrency: wholeNumber, company: text },
			['key'],
			(key) => controls.setKey(key),
		),
		removeKey: checked<{ key: string }>({ key: text }, ['key'], (key) => controls.removeKey(key)),
		addFault: checked<Fault>(FAULT_PROPERTIES, ['kind'], (fault) => controls.addFault(fault), {
			oneOf: FAULT_KINDS,
		}),
		clearFaults: checked<{ key?: string }>({ key: text }, [], (of) => controls.clearFaults(of)),
		setCallbackFaults: checked<CallbackFaults & { key?: string }>(
			{
				key: text,
				lose: { oneOf: [wholeNumber, { const: 'all' }] },
				repeat: wholeNumber,
				repeatEveryMs: wholeNumber,
				delayMs: wholeNumber,
				reverseWithinMs: wholeNumber,
				early: yesNo,
			},
			[],
			(faults) => controls.setCallbackFaults(faults),
		),
		setDurations: checked<DurationSetting>(
			{
				bot: text,
				key: text,
				created: duration,
				running: duration,
				spread: wholeNumber,
				pausing: duration,
				resuming: duration,
			},
			[],
			(setting) => controls.setDurations(setting),
		),
		addBot: checked<AddedAutomation>(AUTOMATION_PROPERTIES, ['id', 'name'], (bot) =>
			controls.addBot(bot),
		),
		addTemplate: checked<AddedAutomation>(AUTOMATION_PROPERTIES, ['id', 'name'], (template) =>
			controls.addTemplate(template),
		),
		setOutput: checked<OutputSetting>(
			{
				bot: text,
				output: {},
				outputSchema: { type: ['object', 'null'] },
				under: text,
				inFiles: yesNo,
			},
			['bot', 'output', 'outputSchema'],
			(setting) => controls.setOutput(setting),
		),
		setClock: checked<{ skewMs: number }>({ skewMs: anyNumber }, ['skewMs'], (clock) =>
			controls.setClock(clock),
		),
		seedRuns: checked<SeedRuns>(
			{
				count: wholeNumber,
				key: text,
				bot: text,
				statuses: { type: 'array', items: runStatus, minItems: 1 },
				createdFrom: text,
				createdTo: text,
				input: { type: 'object' },
			},
			['count'],
			(seed) => controls.seedRuns(seed),
		),
		moveRun: checked<RunMove>(
			{
				taskId: text,
				status: runStatus,
				failure: {
					type: 'object',
					properties: { code: { type: 'integer' }, message: text },
					required: ['code', 'message'],
				},
			},
			['taskId', 'status'],
			(move) => controls.moveRun(move),
		),
		removeRun: checked<{ taskId: string }>({ taskId: text }, ['taskId'], (run) =>
			controls.removeRun(run),
		),
		setUnknown: checked<{ taskId: string; unknown: boolean }>(
			{ taskId: text, unknown: yesNo },
			['taskId', 'unknown'],
			(run) => controls.setUnknown(run),
		),
		runs: checked<{ key?: string }>({ key: text }, [], (of) => controls.runs(of)),
		callbacks: checked<{ taskId?: string; key?: string }>({ taskId: text, key: text }, [], (of) =>
			controls.callbacks(of),
		),
		callbacksSettled: () => controls.callbacksSettled(),
		expireFileLinks: () => controls.expireFileLinks(),
		setFiles: checked<{ linkTtlMs?: number; archiveSize?: number }>(
			{ linkTtlMs: wholeNumber, archiveSize: wholeNumber },
			[],
			(setting) => controls.setFiles(setting),
		),
		setAssist: checked<{ uuid: string; status: AssistStatus }>(
			{ uuid: text, status: { enum: ASSIST_STATUSES } },
			['uuid', 'status'],
			(assist) => controls.setAssist(assist),
		),
		staticProxies: () => controls.staticProxies(),
	};
}

const AUTOMATION_PROPERTIES = {
	id: { type: 'string', minLength: 1 },
	name: text,
	description: text,
	type: { enum: ['workflow', 'agent'] },
	inputSchema: { type: 'object' },
	outputSchema: { type: 'object' },
	output: {},
	published: yesNo,
} as const;

const FAULT_PROPERTIES = {
	key: text,
	method: text,
	path: text,
	times: wholeNumber,
	kind: text,
	ms: anyNumber,
	everyMs: anyNumber,
	size: wholeNumber,
	members: { type: 'object' },
	packed: yesNo,
	retryAfter: text,
	after: yesNo,
	afterBytes: wholeNumber,
	code: { type: 'integer' },
	msg: text,
	status: { type: 'integer', minimum: 100, maximum: 599 },
	contentType: text,
	headers: { type: 'object', additionalProperties: text },
	body: text,
} as const;

const FAULT_KINDS = [
	{ properties: { kind: { const: 'latency' } }, required: ['ms'] },
	{
		properties: {
			kind: { enum: ['rateLimit', 'serverError', 'malformedJson', 'lagging', 'cutConnection'] },
		},
	},
	{ properties: { kind: { const: 'envelopeError' } }, required: ['code', 'msg'] },
	{ properties: { kind: { const: 'shortPages' } }, required: ['size'] },
	{ properties: { kind: { const: 'members' } }, required: ['members'] },
	{ properties: { kind: { const: 'trickle' } }, required: ['everyMs'] },
	{ properties: { kind: { const: 'endless' } } },
	{ properties: { kind: { const: 'answer' } }, required: ['status'] },
] as const;

/** A control whose argument is checked to be an object with these properties and no others. */
function checked<T>(
	properties: Readonly<Record<string, object>>,
	required: readonly string[],
	act: (argument: T) => Promise<unknown>,
	further: object = {},
): Control {
	// Compiled when it is needed: most sandboxes of a test are controlled without HTTP.
	let compiled: ValidateFunction<T> | undefined;
	return async (argument) => {
		const validate = (compiled ??= ajv.compile<T>({
			type: 'object',
			properties,
			required,
			additionalProperties: false,
			...further,
		}));
		if (!validate(argument)) throw new Error(ajv.errorsText(validate.errors));
		return await act(argument);
	};
}
