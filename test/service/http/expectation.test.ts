import { checkPayload } from '../../../nodes/BrowserAutomation/service/http/expectation';
import type { JsonValue } from '../../../nodes/BrowserAutomation/service/json/json';
import type { ServiceRequest } from '../../../nodes/BrowserAutomation/service/http/request';
import { V2_TASKS, V3_RUNS } from '../../../nodes/BrowserAutomation/service/runs/runApi';

const list: ServiceRequest = { method: 'GET', path: '/list', expects: 'list' };
const records: ServiceRequest = { ...list, expects: 'records' };

it.each<[string, ServiceRequest, JsonValue | undefined]>([
	['a run', V3_RUNS.detailRequest('9'), { task_id: '9', status: 'running', steps: [] }],
	['a run whose ID is a number', V3_RUNS.detailRequest('9'), { task_id: 9, status: 'running' }],
	['a task', V2_TASKS.detailRequest('9'), { id: '9', status: 'running' }],
	['a status without an ID', V2_TASKS.statusRequest('9'), { status: 'running' }],
	['a bare list', list, []],
	['a list of texts', list, ['a']],
	['a list of records', records, [{ id: 1 }]],
	['a page', list, { items: [], total_count: 0 }],
	['a page that says null for no items', list, { items: null, total_count: 0 }],
	['anything where nothing is expected', { method: 'PUT', path: '/' }, undefined],
])('%s is an answer', (_, request, payload) => {
	expect(() => checkPayload(request, payload)).not.toThrow();
});

it.each<[string, ServiceRequest, JsonValue | undefined]>([
	['is empty', V3_RUNS.statusRequest('9'), undefined],
	['is empty', V3_RUNS.statusRequest('9'), null],
	['is empty', V2_TASKS.statusRequest('9'), {}],
	['is no object', V3_RUNS.statusRequest('9'), [{ task_id: '9' }]],
	['is no object', V3_RUNS.statusRequest('9'), 'running'],
	['has no status', V3_RUNS.statusRequest('9'), { task_id: '9' }],
	['has no id', V2_TASKS.detailRequest('9'), { task_id: '9', status: 'running' }],
	['is about task_id 8, not 9', V3_RUNS.statusRequest('9'), { task_id: '8', status: 'running' }],
	['is empty', list, null],
	['has no list in it', list, { items: null, total_count: 3 }],
	['has no list in it', list, 'none'],
	['has something in its list that is no record', list, ['a', null]],
	['has something in its list that is no record', records, [{ id: 1 }, 'a']],
])('an answer that %s is none', (words, request, payload) => {
	expect(() => checkPayload(request, payload)).toThrow(`The service’s answer ${words}`);
});

it('tells of a read what to check, and that no other try helps where it is about something else', () => {
	const read = (payload: JsonValue) => () => checkPayload(V3_RUNS.detailRequest('9'), payload);
	expect(read({})).toThrow(
		expect.objectContaining({ advice: expect.stringContaining('Base URL'), facts: {} }),
	);
	const other = { advice: 'Check the ID, then try again.', facts: { httpStatus: 200 } };
	expect(read({ task_id: '8' })).toThrow(expect.objectContaining(other));
});

it('tells after a change not to repeat it blindly', () => {
	const request: ServiceRequest = { method: 'POST', path: '/v2/browser', expects: {} };
	expect(() => checkPayload(request, null)).toThrow(
		expect.objectContaining({ advice: expect.stringContaining('check before you repeat it') }),
	);
});
