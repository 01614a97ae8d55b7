import type { Field, Group } from '../../nodes/BrowserAutomation/fields/field';
import { TRIGGER_NAME, type NamedOperation, type RawParameters } from './operations';

export type Filling = 'empty' | 'typical' | 'extreme';

/** Every character that means something in a URL, in JSON, or to no one. */
const AWKWARD = 'ä 漢字 😀 /?#&=+%2e%2E..;:@"\'\\<>{}|^`[]~\u0000\n\u2028';
/** Names of fields that take an ID, which holds no control characters. */
const IS_ID = /^(uuid|proxyRegion)$|Id$/;
const MAX_CALLBACK = `https://example.com/${'x'.repeat(2048 - 20)}`;

/** Fields whose values are bound to more than their type. */
const SPECIAL: Readonly<Record<string, { typical: unknown; extreme: unknown }>> = {
	baseUrl: { typical: 'https://service.test', extreme: ' http://127.0.0.1:65535/a/b/// ' },
	bizCode: { typical: 7, extreme: -(2 ** 31) },
	body: {
		typical: '{ "a": { "b": 1 } }',
		extreme: { [AWKWARD]: { deep: [[AWKWARD]], big: 1e300 } },
	},
	callbackUrl: { typical: 'https://example.com/done', extreme: MAX_CALLBACK },
	statusChangeCallbackUrl: {
		typical: 'HTTP://Example.com:8080/a?b=c#d',
		extreme: MAX_CALLBACK,
	},
	createdAtFrom: { typical: '2026-01-31', extreme: '0001-01-01T00:00:00.000+14:00' },
	createdAtTo: { typical: '2026-01-31T09:00', extreme: '9999-12-31T23:59:59.999999Z' },
	input: {
		typical: '{ "keyword": "lamp", "pages": 3 }',
		extreme: { [AWKWARD]: [AWKWARD, 1e-9, { a: true }] },
	},
	inputFields: {
		typical: { mappingMode: 'defineBelow', value: { keyword: 'lamp' }, schema: [] },
		extreme: { value: { [AWKWARD]: [AWKWARD, null, { a: 1e300 }] } },
	},
	keyword: { typical: 'scraper', extreme: '漢'.repeat(200) },
	limit: { typical: 50, extreme: 2 ** 31 },
	path: { typical: 'some/path', extreme: `/${'ä %/'.repeat(50)}😀;:@&=+$,` },
	queryParameters: {
		typical: { pair: [{ name: 'a', value: 'b' }] },
		extreme: {
			pair: [
				{ name: 'a', value: AWKWARD },
				{ name: 'a', value: '2' },
				{ name: '__proto__', value: '' },
			],
		},
	},
	triggerName: { typical: '', extreme: TRIGGER_NAME },
	staticProxyId: { typical: 4711, extreme: '9007199254740993' },
};

/** Raw parameters for all fields, as their types allow them. @param choice which entry of fields with choices: counted from 0, and round again */
export function fill({ operation }: NamedOperation, filling: Filling, choice = 0): RawParameters {
	const raw: Record<string, unknown> = {};
	const groups: Partial<Record<Group, Record<string, unknown>>> = {};
	for (const field of operation.fields) {
		if (filling === 'empty' && field.under !== undefined) continue;
		const target = field.under === undefined ? raw : (groups[field.under] ??= {});
		target[field.name] = valueFor(field, filling, choice);
	}
	return { ...raw, ...groups };
}

function valueFor(field: Field<unknown>, filling: Filling, choice: number): unknown {
	const { type, options = [], default: byDefault, required } = field.parameter;
	const isRequired = required === true || type === 'resourceLocator';
	if (filling === 'empty' && !isRequired) return byDefault;
	const special = SPECIAL[field.name];
	if (special !== undefined) return filling === 'extreme' ? special.extreme : special.typical;
	if (type === 'options') {
		const entry = options[choice % Math.max(1, options.length)];
		return entry !== undefined && 'value' in entry ? entry.value : byDefault;
	}
	if (type === 'multiOptions') return options.length > 0 ? byDefault : ['status'];
	if (type === 'boolean') return filling === 'extreme' ? byDefault !== true : byDefault;
	if (type === 'number') {
		return filling === 'extreme' ? (field.parameter.typeOptions?.maxValue ?? byDefault) : byDefault;
	}
	if (filling !== 'extreme') return '4711';
	return IS_ID.test(field.name) ? AWKWARD.replace(/\p{Cc}/gu, '') : AWKWARD;
}

/** How many entries the longest list of choices of an operation has. */
export function choicesOf({ operation }: NamedOperation): number {
	return Math.max(
		1,
		...operation.fields.map(({ parameter }) =>
			parameter.type === 'options' ? (parameter.options?.length ?? 1) : 1,
		),
	);
}
