import {
	mayOpenStatusPage,
	statusPageUrlFor,
} from '../../../../nodes/BrowserAutomation/execution/waiting/statusPage';
import { ledgerOf } from '../ledgerOf';

it.each([
	['https://n8n.example.com/webhook-waiting/1', false, ''],
	['https://n8n.example.com/webhook-waiting/1/', false, ''],
	['https://n8n.example.com/webhook-waiting/1', true, '&state=paused'],
])('the page of an execution at %s, paused %s, has its own address', (url, isPaused, state) => {
	expect(statusPageUrlFor(`${url}?signature=s`, 'k', isPaused)).toBe(
		`https://n8n.example.com/webhook-waiting/1/watch?signature=s&key=k${state}`,
	);
});

it.each([
	['its key', true, { key: 'key' }],
	['another key', false, { key: 'kex' }],
	['no key', false, {}],
])('with %s the page may be opened: %s', (_, mayOpen, query) => {
	expect(mayOpenStatusPage({ getQueryData: () => query }, ledgerOf([]))).toBe(mayOpen);
});

it('where no execution waits, no page may be opened', () => {
	expect(mayOpenStatusPage({ getQueryData: () => ({ key: 'key' }) }, undefined)).toBe(false);
});
