import type nock from 'nock';
import { ACTION, createNodes } from '../../fixture';
import { keywords, passedOn, scrape } from './scene';
import { endTimeLapse, startTimeLapse } from '../../timeLapse';
import { interceptNetwork } from '../../interceptedNetwork';

const intercept = interceptNetwork();
const SERVICE = 'https://service.example.com';
const SCRAPING = { nodeType: ACTION, parameters: scrape(), items: keywords('a') };

beforeEach(() => startTimeLapse());
afterEach(endTimeLapse);

/** A public service that knows one bot, and takes the start of its run, with no callback. */
function publicService(): nock.Scope {
	return intercept(SERVICE)
		.get('/v3/bots/1001')
		.optionally()
		.reply(200, { bot_id: '1001', bot_type: 'workflow', name: 'Bot', input_schema: null })
		.post('/v3/bots/1001/runs', { input: { keyword: 'a', max_results: 1 } })
		.reply(200, { task_id: '7', status: 'created' });
}

it('Automatic polls a public service from a local n8n, and a hint names N8N_WEBHOOK_URL', async () => {
	const harness = createNodes({ url: SERVICE, key: 'key' }, { origin: 'http://localhost:5678' });
	const run = { task_id: '7', status: 'finished', output: [], log_detail_url: `${SERVICE}/log` };
	publicService()
		.get('/v3/bots/runs/7/status')
		.reply(200, { task_id: '7', status: 'finished' })
		.get('/v3/bots/runs/7')
		.reply(200, run);
	const done = await harness.run(SCRAPING);

	expect(done.error).toBeUndefined();
	expect(passedOn(done)).toEqual([expect.objectContaining({ task_id: '7' })]);
	const message = expect.stringContaining('N8N_WEBHOOK_URL');
	expect(done.hints).toMatchObject([{ message, location: 'outputPane' }]);
});

it('there is no such hint where n8n reaches itself, as the runs of a sleeping execution are watched', async () => {
	const origin = 'http://localhost:5679';
	const harness = createNodes({ url: SERVICE, key: 'key' }, { origin });
	intercept(origin)
		.options(/webhook-waiting/)
		.reply(204);
	publicService();
	expect(await harness.run(SCRAPING)).toMatchObject({ status: 'waiting', hints: [] });
});
