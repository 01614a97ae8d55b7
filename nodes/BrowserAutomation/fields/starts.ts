import { path, type ServiceRequest } from '../service/http/request';
import type { JsonObject } from '../service/json/json';
import { toInput } from '../service/schema/inputSchema';
import type { Field, ReadParam } from './field';
import { INPUT } from './input';
import { botField, proxyRegionOption, templateField } from './records';

/** Fields by the service's names of their values. */
export type Named<T> = Readonly<Record<string, Field<T | undefined>>>;

/** The values of fields, without those that are left out. */
export function pickDefined<T>(values: ReadParam, named: Named<T>): Record<string, T> {
	const found: Record<string, T> = {};
	for (const [name, field] of Object.entries(named)) {
		const value = values(field);
		if (value !== undefined) found[name] = value;
	}
	return found;
}

/** A path in which fields stand in place of their values. */
export interface PathTemplate {
	fields: Array<Field<string>>;
	of: (values: ReadParam) => string;
}

/** Each value becomes exactly one segment: at`/v3/bots/${botField}/runs`. */
export function at(parts: TemplateStringsArray, ...fields: Array<Field<string>>): PathTemplate {
	return { fields, of: (values) => path(parts, ...fields.map((field) => values(field))) };
}

export const BOT = at`/v3/bots/${botField}`;

export const TEMPLATE = at`/v3/bots/templates/${templateField}`;

type RunRequest = Omit<ServiceRequest, 'body'> & { body: JsonObject };

/** How a run of a bot or template is started, whoever is notified: by an operation, or by a trigger. */
export interface RunStart {
	/** What shows the schema of the run's input. */
	owner: PathTemplate;
	/** What a user fills in beside the owner. */
	further: ReadonlyArray<Field<unknown>>;
	/** All that the user gave, before it is the request. */
	given(values: ReadParam): unknown;
	/** @throws InputError naming the field that is missing or wrong */
	request(values: ReadParam, schema?: JsonObject): RunRequest;
}

function runStart(owner: PathTemplate, options: Named<string> = {}): RunStart {
	return {
		owner,
		further: [...INPUT.fields, ...Object.values(options)],
		given: (values) => [owner.of(values), INPUT.read(values), pickDefined(values, options)],
		request: (values, schema) => ({
			method: 'POST',
			path: `${owner.of(values)}/runs`,
			body: { input: toInput(schema, INPUT.read(values)), ...pickDefined(values, options) },
		}),
	};
}

/** By what is run. */
export const RUN_STARTS = {
	bot: runStart(BOT),
	template: runStart(TEMPLATE, { proxy_region: proxyRegionOption }),
};
