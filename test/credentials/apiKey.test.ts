import { BrowserAutomationApi } from '../../credentials/BrowserAutomationApi.credentials';

it('the API key takes the place of any other authorization', async () => {
	const { authenticate } = new BrowserAutomationApi();
	if (typeof authenticate !== 'function') throw new Error('It is not a function');
	const headers = { Authorization: 'Basic other', Accept: '*/*' };
	const sent = await authenticate({ apiKey: 'k' }, { url: '', headers });
	expect(sent.headers).toEqual({ Authorization: 'Bearer k', Accept: '*/*' });
});
