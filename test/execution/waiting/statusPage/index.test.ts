import { statusPageUrlFor } from '../../../../nodes/BrowserAutomation/execution/waiting/statusPage';

it.each([
	['https://n8n.example.com/webhook-waiting/1', false, ''],
	['https://n8n.example.com/webhook-waiting/1/', false, ''],
	['https://n8n.example.com/webhook-waiting/1', true, '&state=paused'],
])('the page of an execution at %s, paused %s, has its own address', (url, isPaused, state) => {
	expect(statusPageUrlFor(`${url}?signature=s`, 'k', isPaused)).toBe(
		`https://n8n.example.com/webhook-waiting/1/watch?signature=s&key=k${state}`,
	);
});
