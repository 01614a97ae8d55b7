import { parseUserJson } from '../../nodes/BrowserAutomation/service/json/json';
import { NOTIFY } from '../../nodes/BrowserAutomation/fields/notify';
import {
	BOT_FILTERS,
	botField,
	BROWSER_FILTERS,
	proxyRegionOption,
	RUN_FILTERS,
	TASK_FILTERS,
	WORKFLOW_OPTIONS,
} from '../../nodes/BrowserAutomation/fields/records';

const read = (raw: unknown) => botField.read(raw, Object({}));

describe('the ID in a web address that was pasted whole', () => {
	it.each([
		['https://www.browseract.com/bots/76520131497525', '76520131497525'],
		['https://www.browseract.com/app#/bot?id=76520131497525&tab=2', '76520131497525'],
		['http://127.0.0.1:4010/sandbox/pages/log/90210047112233', '90210047112233'],
		['76520131497525', '76520131497525'],
		['my-bot', 'my-bot'],
	])('of %s is %s', (text, id) => {
		expect([read(text), RUN_FILTERS.bot_id.read(text, Object({}))]).toEqual([id, id]);
	});

	it.each([
		['https://www.browseract.com/pricing', 'no ID is found'],
		['https://www.browseract.com/bots/7652/runs/9021', 'several numbers may be the ID'],
	])('is not guessed in %s', (text, reason) => {
		const message = `'Bot' is a web address in which ${reason}`;
		const advice = expect.stringContaining('paste its ID alone');
		expect(() => read(text)).toThrow(expect.objectContaining({ message, advice }));
	});
});

it.each([
	['{ "a": 1, }', 'Remove the comma before }.'],
	['{ "a": [1, 2,] }', 'Remove the comma before ].'],
	['{ "a": 1', expect.stringMatching(/^Check quotes/)],
])('says what is wrong with the JSON %s', (text, advice) => {
	expect(() => parseUserJson(text, 'Input')).toThrow(expect.objectContaining({ advice }));
});

it('leaves out of a start or a list what is empty, not what an expression did not find', () => {
	const callbackUrls = NOTIFY.fields.filter(({ name }) => /CallbackUrl$/i.test(name));
	const given = [proxyRegionOption, ...Object.values(WORKFLOW_OPTIONS), ...callbackUrls];
	const lists = { ...BOT_FILTERS, ...RUN_FILTERS, ...TASK_FILTERS };
	const filters = [...Object.values(lists), ...Object.values(BROWSER_FILTERS)];
	expect([given.length, filters.length]).toEqual([5, 11]);
	for (const field of [...given, ...filters]) {
		const isText = field.parameter.type !== 'boolean' && field.parameter.type !== 'dateTime';
		const left = [undefined, '', ...(isText ? [' '] : [])];
		expect(left.map((raw) => field.read(raw, Object({})))).toEqual(left.map(() => undefined));
		const message = expect.stringMatching(/^'.+' is an expression that gives nothing$/);
		expect(() => field.read(null, Object({}))).toThrow(expect.objectContaining({ message }));
	}
});
